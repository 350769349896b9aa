package io.tally.server.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.Test;

/** Chunks are about a batch where sizes are known, and few rows where they are not. */
class ChunkRowsTest {
  private static final Field NUMBER = Field.nullable("n", new ArrowType.Int(64, true));
  private static final Field TEXT = Field.nullable("s", ArrowType.Utf8.INSTANCE);
  private static final long MIB = 1 << 20;

  @Test
  void fillsABatchWithFixedWidths() {
    assertEquals(60 * 2048, ChunkRows.of(List.of(NUMBER), MIB, 0));
    assertEquals(30 * 2048, ChunkRows.of(List.of(NUMBER, NUMBER), MIB, 1_000_000));
    assertEquals(1, ChunkRows.of(List.of(NUMBER), 1, 0));
  }

  @Test
  void guessesFromWhatIsStored() {
    assertEquals(12 * 2048, ChunkRows.of(List.of(TEXT), MIB, 1));
    assertEquals(245, ChunkRows.of(List.of(TEXT), MIB, 1000));
    assertEquals(1, ChunkRows.of(List.of(TEXT), MIB, 10_000_000));
    assertEquals(512, ChunkRows.of(List.of(NUMBER, TEXT), MIB, 0));
  }
}
