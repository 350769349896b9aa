package io.tally.rpc.arrow;

import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.BufferLayout;
import org.apache.arrow.vector.BufferLayout.BufferType;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Takes an Arrow field and says which buffers its vector has: all that encoder and decoder have to
 * know of a type.
 *
 * @param width what the kind says; 0 where it says nothing
 */
record ColumnLayout(Kind kind, int width) {
  enum Kind {
    /** No buffers; every value is NULL. */
    NULLS,
    /** Validity, and one value of {@code width} bits a row. */
    FIXED_WIDTH,
    /** Validity, offsets of {@code width} bytes, data. */
    VARIABLE_WIDTH,
    /** Validity, and offsets of {@code width} bytes into the only child. */
    VARIABLE_LIST,
    /** Validity; the only child has {@code width} values a row. */
    FIXED_LIST,
    /** Validity; every child has one value a row. */
    STRUCT
  }

  /**
   * The layout of {@code field} itself, without its children; empty for what v1 does not carry:
   * dictionaries, unions, views, run-end encoding.
   */
  static Optional<ColumnLayout> of(Field field) {
    if (field.getDictionary() != null) {
      return Optional.empty();
    }
    ArrowType type = field.getType();
    int children = field.getChildren().size();
    if (type instanceof ArrowType.Struct) {
      return Optional.of(new ColumnLayout(Kind.STRUCT, 0));
    }
    if (type instanceof ArrowType.FixedSizeBinary binary) {
      // Arrow's own layout keeps the width in 16 bits.
      boolean fits = binary.getByteWidth() <= Integer.MAX_VALUE / Byte.SIZE && children == 0;
      return fits ? ofWidth(Kind.FIXED_WIDTH, binary.getByteWidth() * Byte.SIZE) : Optional.empty();
    }
    if (type instanceof ArrowType.FixedSizeList list) {
      return children == 1 ? ofWidth(Kind.FIXED_LIST, list.getListSize()) : Optional.empty();
    }
    List<BufferLayout> buffers = TypeLayout.getTypeLayout(type).getBufferLayouts();
    List<BufferType> kinds = buffers.stream().map(BufferLayout::getType).toList();
    if (kinds.equals(List.of(BufferType.VALIDITY, BufferType.OFFSET)) && children == 1) {
      return ofWidth(Kind.VARIABLE_LIST, buffers.get(1).getTypeBitWidth() / Byte.SIZE);
    }
    if (children > 0) {
      return Optional.empty();
    }
    if (type instanceof ArrowType.Null) {
      return Optional.of(new ColumnLayout(Kind.NULLS, 0));
    }
    if (kinds.equals(List.of(BufferType.VALIDITY, BufferType.DATA))) {
      return ofWidth(Kind.FIXED_WIDTH, buffers.get(1).getTypeBitWidth());
    }
    if (kinds.equals(List.of(BufferType.VALIDITY, BufferType.OFFSET, BufferType.DATA))) {
      return ofWidth(Kind.VARIABLE_WIDTH, buffers.get(1).getTypeBitWidth() / Byte.SIZE);
    }
    return Optional.empty();
  }

  /** Values without any width would let a few bytes stand for any number of rows. */
  private static Optional<ColumnLayout> ofWidth(Kind kind, int width) {
    return width > 0 ? Optional.of(new ColumnLayout(kind, width)) : Optional.empty();
  }
}
