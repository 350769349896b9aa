package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

class ArrowSchemasTest {
  @Provide
  Arbitrary<Schema> schemas() {
    return Batches.schemas();
  }

  @Property(tries = 200)
  void areUnderstoodByArrowAndUnderstandIt(@ForAll("schemas") Schema schema) throws IOException {
    ByteString encoded = ArrowSchemas.encode(schema);
    assertEquals(0, encoded.size() % 8);
    assertEquals(
        schema,
        MessageSerializer.deserializeSchema(
            new ReadChannel(Channels.newChannel(new ByteArrayInputStream(encoded.toByteArray())))));
    assertEquals(schema, ArrowSchemas.decode(byArrow(schema)));
  }

  @Property(tries = 2_000)
  void damageIsRefusedOrASchema(
      @ForAll("schemas") Schema schema,
      @ForAll @IntRange(min = 1, max = 4) int damages,
      @ForAll long seed) {
    byte[] bytes = ArrowSchemas.encode(schema).toByteArray();
    Random random = new Random(seed);
    for (int i = 0; i < damages; i++) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    try {
      assertTrue(
          ArrowSchemas.decode(ByteString.copyFrom(bytes)).getFields().size() <= bytes.length);
    } catch (TallyException e) {
      assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
    }
  }

  @Test
  void whatTheProtocolDoesNotCarryIsRefusedOnBothSides() throws IOException {
    Field dictionary =
        new Field(
            "coded",
            new FieldType(
                true,
                new ArrowType.Int(32, true),
                new DictionaryEncoding(1, false, new ArrowType.Int(32, true))),
            List.of());
    Field view = Batches.field("view", new ArrowType.Utf8View(), true, List.of());
    Field union =
        Batches.field("union", new ArrowType.Union(UnionMode.Sparse, new int[0]), true, List.of());
    Field nested = Batches.field("nested", new ArrowType.Struct(), true, List.of(view));
    Field noWidth = Batches.field("empty", new ArrowType.FixedSizeBinary(0), true, List.of());
    for (Field field : List.of(dictionary, view, union, nested, noWidth)) {
      Schema schema = new Schema(List.of(field));
      assertThrows(IllegalArgumentException.class, () -> ArrowSchemas.encode(schema));
      assertRefused(byArrow(schema));
    }
  }

  @Test
  void whatArrowHasNoVectorForIsRefused() throws IOException {
    ArrowType struct = new ArrowType.Struct();
    Field key = Batches.field("key", new ArrowType.Utf8(), false, List.of());
    Field maybe = Batches.field("key", new ArrowType.Utf8(), true, List.of());
    Field nameless = Batches.field(null, new ArrowType.Utf8(), true, List.of());
    assertEquals(
        1,
        ArrowSchemas.decode(byArrow(map(struct, false, List.of(key, maybe)))).getFields().size());
    assertRefused(byArrow(map(struct, true, List.of(key, maybe))));
    assertRefused(byArrow(map(struct, false, List.of(maybe, maybe))));
    assertRefused(byArrow(map(struct, false, List.of(key))));
    assertRefused(byArrow(map(new ArrowType.Utf8(), false, List.of())));
    assertRefused(
        byArrow(new Schema(List.of(Batches.field("s", struct, true, List.of(nameless))))));
  }

  private static Schema map(ArrowType entries, boolean nullable, List<Field> children) {
    Field child = Batches.field("entries", entries, nullable, children);
    return new Schema(
        List.of(Batches.field("map", new ArrowType.Map(false), true, List.of(child))));
  }

  @Test
  void nestingHasALimit() throws IOException {
    assertEquals(
        1, ArrowSchemas.decode(byArrow(nested(ArrowSchemas.MAX_DEPTH))).getFields().size());
    assertRefused(byArrow(nested(ArrowSchemas.MAX_DEPTH + 1)));
  }

  private static Schema nested(int depth) {
    Field field = Batches.field("leaf", new ArrowType.Bool(), true, List.of());
    for (int i = 1; i < depth; i++) {
      field = Batches.field("l", new ArrowType.List(), true, List.of(field));
    }
    return new Schema(List.of(field));
  }

  /**
   * A list field whose vector of children is made to hold the field itself: bytes of ordinary size
   * that stand for a tree without end.
   */
  @Test
  void aFieldInsideItselfIsRefused() throws IOException {
    byte[] honest = byArrow(nested(4)).toByteArray();
    int refused = 0;
    // Each offset in a flatbuffer is four bytes; turn each small one, in turn, into a step back.
    for (int at = 8; at + 4 <= honest.length; at += 4) {
      for (int back = -4; back > -256; back -= 4) {
        byte[] cyclic = honest.clone();
        for (int i = 0; i < 4; i++) {
          cyclic[at + i] = (byte) (back >> (8 * i));
        }
        try {
          assertTrue(ArrowSchemas.decode(ByteString.copyFrom(cyclic)).getFields().size() <= 64);
        } catch (TallyException e) {
          assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
          if (e.getMessage().contains("nested deeper")) {
            refused++;
          }
        }
      }
    }
    assertTrue(refused > 0, "no damage made a cycle, so this test tests nothing");
  }

  @Test
  void aRecordBatchOrNothingIsNoSchema() {
    assertRefused(ByteString.EMPTY);
    assertRefused(ByteString.copyFrom(new byte[64]));
    byte[] legacy = ArrowSchemas.encode(new Schema(List.of())).toByteArray();
    legacy[0] = 0;
    assertRefused(ByteString.copyFrom(legacy));
  }

  private static ByteString byArrow(Schema schema) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    MessageSerializer.serialize(
        new WriteChannel(Channels.newChannel(bytes)), schema, IpcOption.DEFAULT);
    return ByteString.copyFrom(bytes.toByteArray());
  }

  private static void assertRefused(ByteString bytes) {
    TallyException e = assertThrows(TallyException.class, () -> ArrowSchemas.decode(bytes));
    assertEquals(ErrorCode.PROTOCOL_VIOLATION, e.code());
  }
}
