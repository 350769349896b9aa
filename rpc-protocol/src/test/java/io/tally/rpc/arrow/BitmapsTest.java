package io.tally.rpc.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Against java.util.BitSet, which numbers bits as Arrow does. */
class BitmapsTest {
  @Property(tries = 1_000)
  void countsAndCutsAnyRange(
      @ForAll @IntRange(max = 200) int first,
      @ForAll @IntRange(max = 200) int count,
      @ForAll long seed) {
    byte[] bytes = new byte[(int) Bitmaps.bytes(first + count)];
    new Random(seed).nextBytes(bytes);
    BitSet expected = BitSet.valueOf(bytes).get(first, first + count);
    try (BufferAllocator allocator = new RootAllocator();
        // Just as long as it has to be, so that reading further is found out.
        ArrowBuf whole = allocator.buffer(bytes.length);
        ArrowBuf bitmap = whole.slice(0, bytes.length)) {
      whole.getReferenceManager().retain();
      whole.setBytes(0, bytes);
      assertEquals(count - expected.cardinality(), Bitmaps.countZeros(bitmap, first, count));
      try (ArrowBuf cut = Bitmaps.slice(bitmap, first, count, allocator)) {
        byte[] cutBytes = new byte[(int) cut.readableBytes()];
        cut.getBytes(0, cutBytes);
        assertEquals(Bitmaps.bytes(count), cutBytes.length);
        assertEquals(expected, BitSet.valueOf(cutBytes).get(0, count));
      }
    }
  }
}
