package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.BodyCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.BlockSize;
import org.junit.jupiter.api.Test;

/** Any bytes come back as they were, and nothing is written behind those that are due. */
class BufferCodecsTest {
  private static final int MOST_BYTES = 300_000;

  @Provide
  Arbitrary<BodyCodec> codecs() {
    return Arbitraries.of(BodyCodec.compressing());
  }

  @Property(tries = 200)
  void anyBytesComeBack(
      @ForAll("codecs") BodyCodec codec,
      @ForAll @IntRange(min = 1, max = MOST_BYTES) int bytes,
      @ForAll @IntRange(min = 1, max = 256) int values,
      @ForAll long seed)
      throws IOException {
    byte[] plain = bytes(bytes, values, seed);
    BufferCodec library = BodyCodecs.of(codec);
    try (BufferAllocator allocator = new RootAllocator();
        ArrowBuf source = buffer(plain, allocator);
        ArrowBuf target = allocator.buffer(library.maxCompressedBytes(bytes))) {
      long compressed = library.compress(source, target);
      assertTrue(compressed <= library.maxCompressedBytes(bytes));
      target.writerIndex(compressed);
      assertArrayEquals(plain, decompressed(library, target, bytes, allocator));
      for (int wrong : new int[] {1, bytes - 1, bytes + 1, 2 * bytes}) {
        if (wrong > 0 && wrong != bytes) {
          assertThrows(IOException.class, () -> decompressed(library, target, wrong, allocator));
        }
      }
      target.writerIndex(compressed / 2);
      assertThrows(IOException.class, () -> decompressed(library, target, bytes, allocator));
    }
  }

  /** As Arrow's C++ writer makes them. */
  @Test
  void lz4FramesWithLinkedBlocksAreRead() throws IOException {
    byte[] repeated = bytes(1_000, 256, 1);
    byte[] plain = new byte[150_000];
    for (int i = 0; i < plain.length; i++) {
      plain[i] = repeated[i % repeated.length];
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    var linked = new FramedLZ4CompressorOutputStream.Parameters(BlockSize.K64, false, false, true);
    try (var frame = new FramedLZ4CompressorOutputStream(bytes, linked)) {
      frame.write(plain);
    }
    BufferCodec library = BodyCodecs.of(BodyCodec.LZ4);
    try (BufferAllocator allocator = new RootAllocator();
        ArrowBuf source = buffer(bytes.toByteArray(), allocator)) {
      assertArrayEquals(plain, decompressed(library, source, plain.length, allocator));
      assertThrows(
          IOException.class, () -> decompressed(library, source, plain.length - 1, allocator));
      assertThrows(
          IOException.class, () -> decompressed(library, source, plain.length + 1, allocator));
    }
  }

  @Test
  void aProcessWithoutALibraryDoesWithoutItsCodec() throws Exception {
    Method isAvailable =
        new WithoutZstd()
            .loadClass(BodyCodecs.class.getName())
            .getMethod("isAvailable", BodyCodec.class);
    assertEquals(true, isAvailable.invoke(null, BodyCodec.NONE));
    assertEquals(true, isAvailable.invoke(null, BodyCodec.LZ4));
    assertEquals(false, isAvailable.invoke(null, BodyCodec.ZSTD));
    assertTrue(BodyCodecs.isAvailable(BodyCodec.ZSTD), "here it is");
  }

  /** Loads the package anew, for which there is one library less. */
  private static final class WithoutZstd extends ClassLoader {
    WithoutZstd() {
      super(BodyCodecs.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("com.github.luben.zstd")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith(BodyCodecs.class.getPackageName())) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  private static byte[] bytes(int count, int values, long seed) {
    Random random = new Random(seed);
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) random.nextInt(values);
    }
    return bytes;
  }

  private static ArrowBuf buffer(byte[] bytes, BufferAllocator allocator) {
    ArrowBuf buffer = allocator.buffer(bytes.length);
    buffer.setBytes(0, bytes);
    return buffer.writerIndex(bytes.length);
  }

  /** Between bytes that have to stay as they are. */
  private static byte[] decompressed(
      BufferCodec library, ArrowBuf source, int bytes, BufferAllocator allocator)
      throws IOException {
    int behind = 64;
    try (ArrowBuf target = allocator.buffer(bytes + behind)) {
      target.setOne(0, target.capacity());
      byte[] result = new byte[bytes + behind];
      try {
        library.decompress(source, target, bytes);
      } finally {
        target.getBytes(0, result);
        byte[] ones = new byte[behind];
        Arrays.fill(ones, (byte) 0xFF);
        assertArrayEquals(ones, Arrays.copyOfRange(result, bytes, bytes + behind));
      }
      return Arrays.copyOf(result, bytes);
    }
  }
}
