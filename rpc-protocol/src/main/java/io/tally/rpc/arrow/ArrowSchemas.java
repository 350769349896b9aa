package io.tally.rpc.arrow;

import com.google.protobuf.ByteString;
import io.tally.rpc.TallyException;
import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Arrow schemas to and from encapsulated IPC messages, as in {@code Opened.arrow_schema}. */
public final class ArrowSchemas {
  /** Most fields of a schema, children included. */
  static final int MAX_FIELDS = 100_000;

  /** How deep fields may be nested. */
  static final int MAX_DEPTH = 64;

  /** Most characters in names and metadata of a schema. */
  static final int MAX_TEXT_BYTES = 16 << 20;

  private ArrowSchemas() {}

  /**
   * Encodes a schema.
   *
   * @throws IllegalArgumentException naming the field that the protocol does not carry: a
   *     dictionary, union, view, or run-end encoded field
   */
  public static ByteString encode(Schema schema) {
    schema.getFields().forEach(ArrowSchemas::requireLayout);
    return IpcMessages.encapsulate(MessageSerializer.serializeMetadata(schema, IpcOption.DEFAULT));
  }

  /**
   * Decodes what {@link #encode}, or any Arrow library, wrote.
   *
   * @throws TallyException PROTOCOL_VIOLATION if the bytes are not a schema message, or hold a
   *     field that the protocol does not carry, or one that Arrow has no vector for
   */
  public static Schema decode(ByteString message) {
    Message opened = IpcMessages.open(message, MessageHeader.Schema, "schema");
    try {
      new Bounds().check(opened);
      Schema schema = MessageSerializer.deserializeSchema(opened);
      schema.getFields().forEach(ArrowSchemas::requireLayout);
      requireVectors(schema);
      return schema;
    } catch (TallyException e) {
      throw e;
    } catch (RuntimeException e) {
      // Flatbuffers and Arrow meet damage with whatever their accessors throw.
      throw IpcMessages.violation("The Arrow schema is damaged: " + e.getMessage() + ".", e);
    }
  }

  /** The layout of a field that went through {@link #requireLayout(Field)}. */
  static ColumnLayout layout(Field field) {
    return ColumnLayout.of(field)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "field \"%s\" has type %s%s, which the protocol does not carry"
                        .formatted(
                            field.getName(),
                            field.getType(),
                            field.getDictionary() == null ? "" : " with a dictionary")));
  }

  private static void requireLayout(Field field) {
    layout(field);
    field.getChildren().forEach(ArrowSchemas::requireLayout);
  }

  /**
   * Arrow has rules of its own, such as for the children of maps, and looks when it is too late.
   */
  private static void requireVectors(Schema schema) {
    try (BufferAllocator nothing = new RootAllocator(0)) {
      VectorSchemaRoot.create(schema, nothing).close();
    }
  }

  /**
   * Walks a schema before it is turned into objects. Fields of a flatbuffer are found through
   * offsets, which may share and even contain each other: a short message could stand for a tree
   * without end.
   */
  private static final class Bounds {
    private static final int BYTES_PER_ENTRY = 16;

    private int fields;
    private long textBytes;

    void check(Message message) {
      var schema =
          (org.apache.arrow.flatbuf.Schema) message.header(new org.apache.arrow.flatbuf.Schema());
      require(schema != null, "it is missing");
      require(schema.endianness() == Endianness.Little, "it is not little-endian");
      for (int i = 0; i < schema.customMetadataLength(); i++) {
        count(schema.customMetadata(i));
      }
      for (int i = 0; i < schema.fieldsLength(); i++) {
        check(schema.fields(i), 1);
      }
    }

    private void check(org.apache.arrow.flatbuf.Field field, int depth) {
      fields++;
      require(fields <= MAX_FIELDS, "it has more than " + MAX_FIELDS + " fields");
      require(depth <= MAX_DEPTH, "its fields are nested deeper than " + MAX_DEPTH);
      require(field.dictionary() == null, "it has a dictionary");
      require(field.typeType() != Type.Union, "it has a union");
      count(field.nameAsByteBuffer());
      if (field.typeType() == Type.Timestamp) {
        count(((Timestamp) field.type(new Timestamp())).timezoneAsByteBuffer());
      }
      for (int i = 0; i < field.customMetadataLength(); i++) {
        count(field.customMetadata(i));
      }
      for (int i = 0; i < field.childrenLength(); i++) {
        check(field.children(i), depth + 1);
      }
    }

    private void count(KeyValue entry) {
      count(entry.keyAsByteBuffer());
      count(entry.valueAsByteBuffer());
    }

    private void count(ByteBuffer text) {
      textBytes += BYTES_PER_ENTRY + (text == null ? 0 : text.remaining());
      require(textBytes <= MAX_TEXT_BYTES, "it has more than " + MAX_TEXT_BYTES + " bytes of text");
    }

    private static void require(boolean condition, String otherwise) {
      if (!condition) {
        throw IpcMessages.violation("The Arrow schema cannot be used: " + otherwise + ".", null);
      }
    }
  }
}
