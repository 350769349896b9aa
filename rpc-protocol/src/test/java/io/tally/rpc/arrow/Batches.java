package io.tally.rpc.arrow;

import com.google.protobuf.ByteString;
import io.grpc.Drainable;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.v1.Batch;
import io.tally.rpc.v1.ScanResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import org.apache.arrow.compression.Lz4CompressionCodec;
import org.apache.arrow.compression.ZstdCompressionCodec;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.validate.ValidateUtil;
import org.apache.arrow.vector.validate.ValidateVectorBufferVisitor;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.BlockSize;

/** Schemas, filled vectors, and frames made by Arrow's own writer and protobuf's own classes. */
public final class Batches {
  private static final List<ArrowType> SIMPLE_TYPES =
      List.of(
          new ArrowType.Null(),
          new ArrowType.Bool(),
          new ArrowType.Int(8, true),
          new ArrowType.Int(16, true),
          new ArrowType.Int(32, true),
          new ArrowType.Int(64, true),
          new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE),
          new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE),
          new ArrowType.Decimal(38, 2, 128),
          new ArrowType.Utf8(),
          new ArrowType.Binary(),
          new ArrowType.LargeUtf8(),
          new ArrowType.FixedSizeBinary(3),
          new ArrowType.Date(DateUnit.DAY),
          new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"),
          new ArrowType.Timestamp(TimeUnit.MICROSECOND, null));

  private Batches() {}

  /** Schemas of up to five columns, nested up to twice. */
  public static Arbitrary<Schema> schemas() {
    return fields(2).list().ofMaxSize(5).map(Schema::new);
  }

  private static Arbitrary<Field> fields(int depth) {
    Arbitrary<Boolean> nullable = Arbitraries.of(true, false);
    Arbitrary<Field> simple =
        Combinators.combine(Arbitraries.of(SIMPLE_TYPES), nullable)
            .as((type, isNullable) -> field("c", type, isNullable, List.of()));
    if (depth == 0) {
      return simple;
    }
    Arbitrary<Field> child = fields(depth - 1);
    return Arbitraries.oneOf(
        simple,
        Combinators.combine(child, nullable)
            .as((item, isNull) -> field("l", new ArrowType.List(), isNull, List.of(item))),
        Combinators.combine(child, nullable)
            .as((item, isNull) -> field("ll", new ArrowType.LargeList(), isNull, List.of(item))),
        Combinators.combine(child, nullable)
            .as(
                (item, isNull) ->
                    field("f", new ArrowType.FixedSizeList(2), isNull, List.of(item))),
        Combinators.combine(child.list().ofMaxSize(3), nullable)
            .as((items, isNull) -> field("s", new ArrowType.Struct(), isNull, numbered(items))),
        Combinators.combine(child, nullable).as(Batches::map));
  }

  private static List<Field> numbered(List<Field> fields) {
    List<Field> numbered = new ArrayList<>();
    for (Field field : fields) {
      numbered.add(
          new Field(field.getName() + numbered.size(), field.getFieldType(), field.getChildren()));
    }
    return numbered;
  }

  private static Field map(Field value, boolean nullable) {
    Field key = field("key", new ArrowType.Utf8(), false, List.of());
    Field values = new Field("value", value.getFieldType(), value.getChildren());
    Field entries = field("entries", new ArrowType.Struct(), false, List.of(key, values));
    return field("m", new ArrowType.Map(false), nullable, List.of(entries));
  }

  static Field field(String name, ArrowType type, boolean nullable, List<Field> children) {
    return new Field(name, new FieldType(nullable, type, null), children);
  }

  /** A root of {@code rows} random rows; the caller closes it. */
  public static VectorSchemaRoot fill(
      Schema schema, int rows, long seed, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
    Random random = new Random(seed);
    for (FieldVector vector : root.getFieldVectors()) {
      fill(vector, rows, random);
    }
    root.setRowCount(rows);
    return root;
  }

  private static void fill(FieldVector vector, int rows, Random random) {
    boolean[] isSet = new boolean[rows];
    int nullsInTen = vector.getField().isNullable() ? random.nextInt(11) : 0;
    for (int i = 0; i < rows; i++) {
      isSet[i] = random.nextInt(10) >= nullsInTen;
    }
    if (vector instanceof BaseFixedWidthVector fixed) {
      fixed.allocateNew(rows);
      byte[] bytes = new byte[Math.max(1, (int) fixed.getDataBuffer().capacity())];
      random.nextBytes(bytes);
      fixed.getDataBuffer().setBytes(0, bytes, 0, fixed.getDataBuffer().capacity());
      for (int i = 0; i < rows; i++) {
        BitVectorHelper.setValidityBit(fixed.getValidityBuffer(), i, isSet[i] ? 1 : 0);
      }
    } else if (vector instanceof BaseVariableWidthVector variable) {
      variable.allocateNew();
      for (int i = 0; i < rows; i++) {
        if (isSet[i]) {
          variable.setSafe(i, text(random));
        }
      }
    } else if (vector instanceof BaseLargeVariableWidthVector variable) {
      variable.allocateNew();
      for (int i = 0; i < rows; i++) {
        if (isSet[i]) {
          variable.setSafe(i, text(random));
        }
      }
    } else if (vector instanceof ListVector list) {
      list.allocateNew();
      int items = 0;
      for (int i = 0; i < rows; i++) {
        if (isSet[i]) {
          int size = random.nextInt(4);
          list.startNewValue(i);
          list.endValue(i, size);
          items += size;
        }
      }
      fill(list.getDataVector(), items, random);
    } else if (vector instanceof LargeListVector list) {
      list.allocateNew();
      int items = 0;
      for (int i = 0; i < rows; i++) {
        if (isSet[i]) {
          int size = random.nextInt(4);
          list.startNewValue(i);
          list.endValue(i, size);
          items += size;
        }
      }
      fill(list.getDataVector(), items, random);
    } else if (vector instanceof FixedSizeListVector list) {
      list.allocateNew();
      list.setValueCount(rows);
      for (int i = 0; i < rows; i++) {
        BitVectorHelper.setValidityBit(list.getValidityBuffer(), i, isSet[i] ? 1 : 0);
      }
      fill(list.getDataVector(), rows * list.getListSize(), random);
    } else if (vector instanceof StructVector struct) {
      struct.allocateNew();
      struct.setValueCount(rows);
      for (int i = 0; i < rows; i++) {
        BitVectorHelper.setValidityBit(struct.getValidityBuffer(), i, isSet[i] ? 1 : 0);
      }
      for (FieldVector child : struct.getChildrenFromFields()) {
        fill(child, rows, random);
      }
    }
    vector.setValueCount(rows);
  }

  private static byte[] text(Random random) {
    byte[] text = new byte[random.nextInt(12)];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + random.nextInt(26));
    }
    return text;
  }

  /** A batch message with its body inside, as a stranger would make it with Arrow's own writer. */
  public static ScanResponse response(VectorSchemaRoot root, long sequence) {
    return response(root, sequence, BodyCodec.NONE);
  }

  /** The same, with Arrow's own compression. */
  public static ScanResponse response(VectorSchemaRoot root, long sequence, BodyCodec codec) {
    CompressionCodec compression =
        switch (codec) {
          case NONE -> NoCompressionCodec.INSTANCE;
          case LZ4 -> new SmallLz4Codec();
          case ZSTD -> new ZstdCompressionCodec();
        };
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ArrowRecordBatch batch =
        new VectorUnloader(
                root, /* includeNullCount= */ true, compression, /* alignBuffers= */ true)
            .getRecordBatch()) {
      MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), batch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ByteBuffer message = ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    int headerBytes = 8 + message.getInt(4);
    ByteString all = ByteString.copyFrom(bytes.toByteArray());
    return ScanResponse.newBuilder()
        .setBatch(
            Batch.newBuilder()
                .setSequence(sequence)
                .setRows(root.getRowCount())
                .setHeader(all.substring(0, headerBytes)))
        .setBody(all.substring(headerBytes))
        .build();
  }

  /**
   * Arrow's, but for the size of the blocks: with those of 4 MiB that it takes, whoever reads a
   * frame makes room for so much.
   */
  private static final class SmallLz4Codec extends Lz4CompressionCodec {
    @Override
    protected ArrowBuf doCompress(BufferAllocator allocator, ArrowBuf plain) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (OutputStream frame =
          new FramedLZ4CompressorOutputStream(
              bytes, new FramedLZ4CompressorOutputStream.Parameters(BlockSize.K64))) {
        byte[] content = new byte[(int) plain.readableBytes()];
        plain.getBytes(plain.readerIndex(), content);
        frame.write(content);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      ArrowBuf compressed = allocator.buffer(Long.BYTES + bytes.size());
      compressed.setBytes(Long.BYTES, bytes.toByteArray());
      return compressed.writerIndex(Long.BYTES + bytes.size());
    }
  }

  /** The bytes that gRPC would put on the wire; closes the frame. */
  static byte[] bytes(ScanFrame frame, BufferAllocator allocator) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream stream = new ScanFrameMarshaller(allocator).stream(frame)) {
      ((Drainable) stream).drainTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** A frame of bytes as gRPC would hand them over. */
  public static ScanFrame frame(byte[] bytes, BufferAllocator allocator) {
    return new ScanFrameMarshaller(allocator).parse(new ByteArrayInputStream(bytes));
  }

  /** Arrow's own check of all buffers, and every value; with Arrow's bounds checks on. */
  public static void readEverything(VectorSchemaRoot root) {
    for (FieldVector vector : root.getFieldVectors()) {
      try {
        vector.accept(new ValidateVectorBufferVisitor(), null);
      } catch (ValidateUtil.ValidateException e) {
        throw new AssertionError("not safe: " + vector.getField(), e);
      }
      for (int row = 0; row < root.getRowCount(); row++) {
        var unused = vector.hashCode(row);
      }
    }
  }
}
