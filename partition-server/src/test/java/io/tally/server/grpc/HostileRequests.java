package io.tally.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.RowRange;
import io.tally.rpc.v1.Sample;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.SortKey;
import io.tally.server.fixture.MemoryCatalog;
import io.tally.server.fixture.Wire;
import io.tally.server.scan.RandomTable;
import java.util.List;
import java.util.Random;

/** Makes requests as no client of ours would: right ones, and then what chance makes of them. */
final class HostileRequests {
  private static final int DEPTH = 3;
  private static final int MOST_DAMAGES = 4;
  private static final int LONG_CHARS = 3_000;

  private static final List<String> TEXTS =
      List.of("", "r", "id", "s0", "'", "\"", "\u0000", "%", "ß\n", "x".repeat(LONG_CHARS), "eq");
  private static final List<Long> NUMBERS =
      List.of(0L, 1L, -1L, 2L, 100L, 1L << 20, 1L << 31, Long.MAX_VALUE, Long.MIN_VALUE);
  private static final List<Double> REALS =
      List.of(0.0, -0.0, 0.5, 1.0, -1.0, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE);

  private HostileRequests() {}

  /** A request that a node answers, of {@link RandomTable}. */
  static Open.Builder right(MemoryCatalog catalog, Random random) {
    Open.Builder open = Wire.open(catalog, "r").setScanId("scan-" + random.nextInt(1 << 20));
    if (random.nextBoolean()) {
      open.setPredicate(RandomTable.predicate(random, DEPTH));
    }
    if (random.nextInt(3) == 0) {
      open.setAggregation(
          Wire.aggregation(
              List.of(RandomTable.operand(random)),
              Wire.aggregate("count_all"),
              Wire.aggregate("min", RandomTable.operand(random)),
              Wire.aggregate("max", RandomTable.operand(random))));
      return open;
    }
    open.addColumns("id");
    if (random.nextBoolean()) {
      open.setLimit(random.nextInt(50));
    }
    switch (random.nextInt(5)) {
      case 0 -> open.addOrderBy(SortKey.newBuilder().setExpression(RandomTable.operand(random)));
      case 1 -> open.setSample(Sample.newBuilder().setUpper(0.5).setSeed(random.nextLong()));
      case 2 -> open.setPartitionColumn("where");
      case 3 ->
          open.getPartitionsBuilder(0).setRange(RowRange.newBuilder().setEnd(random.nextInt(20)));
      default -> open.setResumeAfter(0);
    }
    return open;
  }

  /** Some fields have other values, and sometimes bytes are other bytes. */
  static byte[] spoilt(Open.Builder open, Random random) {
    ScanRequest.Builder request = ScanRequest.newBuilder().setOpen(open);
    for (int i = random.nextInt(MOST_DAMAGES); i > 0; i--) {
      change(random.nextInt(20) == 0 ? request : request.getOpenBuilder(), random);
    }
    return spoiltBytes(request.build().toByteArray(), random);
  }

  /** Credits, or what chance makes of them. */
  static byte[] credits(Random random) {
    Next.Builder next = Next.newBuilder().setCredits(4);
    if (random.nextInt(4) == 0) {
      change(next, random);
    }
    return spoiltBytes(ScanRequest.newBuilder().setNext(next).build().toByteArray(), random);
  }

  private static byte[] spoiltBytes(byte[] bytes, Random random) {
    if (random.nextInt(20) == 0) {
      byte[] anything = new byte[random.nextInt(200)];
      random.nextBytes(anything);
      return anything;
    }
    int damages = random.nextInt(3) == 0 && bytes.length > 0 ? 1 + random.nextInt(3) : 0;
    for (int i = 0; i < damages; i++) {
      bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? 0xFF : random.nextInt());
    }
    return bytes;
  }

  private static void change(Message.Builder message, Random random) {
    List<FieldDescriptor> set = List.copyOf(message.getAllFields().keySet());
    if (!set.isEmpty() && random.nextInt(4) != 0) {
      changeSet(message, set.get(random.nextInt(set.size())), random);
      return;
    }
    List<FieldDescriptor> all = message.getDescriptorForType().getFields();
    FieldDescriptor field = all.get(random.nextInt(all.size()));
    Object value = value(message, field, random);
    if (field.isRepeated()) {
      message.addRepeatedField(field, value);
    } else {
      message.setField(field, value);
    }
  }

  private static void changeSet(Message.Builder message, FieldDescriptor field, Random random) {
    int count = field.isRepeated() ? message.getRepeatedFieldCount(field) : 1;
    int index = random.nextInt(count);
    if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && random.nextInt(6) != 0) {
      change(
          field.isRepeated()
              ? message.getRepeatedFieldBuilder(field, index)
              : message.getFieldBuilder(field),
          random);
    } else if (random.nextInt(4) == 0) {
      message.clearField(field);
    } else if (field.isRepeated()) {
      message.setRepeatedField(field, index, value(message, field, random));
    } else {
      message.setField(field, value(message, field, random));
    }
  }

  private static Object value(Message.Builder parent, FieldDescriptor field, Random random) {
    return switch (field.getJavaType()) {
      case INT -> (int) number(random);
      case LONG -> number(random);
      case FLOAT -> REALS.get(random.nextInt(REALS.size())).floatValue();
      case DOUBLE -> REALS.get(random.nextInt(REALS.size()));
      case BOOLEAN -> random.nextBoolean();
      case STRING -> TEXTS.get(random.nextInt(TEXTS.size()));
      case BYTE_STRING -> {
        byte[] bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        yield ByteString.copyFrom(bytes);
      }
      case ENUM -> {
        EnumValueDescriptor known =
            field
                .getEnumType()
                .getValues()
                .get(random.nextInt(field.getEnumType().getValues().size()));
        yield random.nextInt(4) == 0
            ? field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(200))
            : known;
      }
      case MESSAGE -> {
        Message.Builder child = parent.newBuilderForField(field);
        change(child, random);
        yield child.build();
      }
    };
  }

  private static long number(Random random) {
    return random.nextBoolean() ? NUMBERS.get(random.nextInt(NUMBERS.size())) : random.nextLong();
  }
}
