package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.RowRange;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranges of positions against the numbers that stand in the rows. */
class RowRangesTest {
  @TempDir Path folder;

  @Test
  void rangesGoThroughParquetFilesInOrder() throws Exception {
    Stored stored = new Stored(folder);
    PartitionDefinition partition =
        Stored.parquet(
            "p",
            stored.parquet("c.parquet", "SELECT i, i % 7 AS r FROM range(0, 100) t(i)"),
            stored.parquet("a.parquet", "SELECT i % 7 AS r, i FROM range(100, 100) t(i)"),
            stored.parquet("b.parquet", "SELECT i, i % 7 AS r FROM range(100, 101) t(i)"),
            stored.parquet("d.parquet", "SELECT i % 7 AS r, i FROM range(101, 250) t(i)"));
    try (DuckDbCatalog catalog = Stored.open(partition)) {
      coversExactly(catalog, 250);
    }
  }

  @Test
  void rangesOfADatabaseTableAreItsRowIds() throws Exception {
    Path file =
        new Stored(folder)
            .database("d.duckdb", "CREATE TABLE t AS SELECT i, i % 7 AS r FROM range(250) t(i)");
    try (DuckDbCatalog catalog = Stored.open(Stored.database("p", file))) {
      coversExactly(catalog, 250);
    }
  }

  private static void coversExactly(DuckDbCatalog catalog, int rows) throws SQLException {
    ServedPartition partition = catalog.table("t").partitions().get(0);
    assertEquals(rows, partition.rows());
    assertTrue(partition.splittable());
    List<Integer> cuts = new ArrayList<>(List.of(0, 0, 99, 100, 101, 101, 102, rows, rows));
    new Random(1).ints(20, 0, rows).forEach(cuts::add);
    Collections.sort(cuts);
    for (int i = 1; i < cuts.size(); i++) {
      int first = cuts.get(i - 1);
      int end = cuts.get(i);
      assertEquals(
          IntStream.range(first, end).mapToObj(Integer::toString).toList(),
          Stored.rows(catalog, ordered(partition.rowsSql(range(first, end)))),
          "[" + first + ", " + end + ")");
      assertEquals(
          IntStream.range(first, end).mapToObj(row -> row + "|" + row).toList(),
          Stored.rows(
              catalog, numbered(partition.numberedRowsSql(range(first, end), "at \"home\""))));
    }
    assertEquals(
        IntStream.range(0, rows).mapToObj(row -> row + "|" + row).toList(),
        Stored.rows(catalog, numbered(partition.numberedRowsSql(Optional.empty(), "at \"home\""))));
    assertEquals(
        IntStream.range(0, rows).mapToObj(Integer::toString).toList(),
        Stored.rows(catalog, ordered(partition.rowsSql(Optional.empty()))));
    assertEquals(
        IntStream.range(0, rows).mapToObj(Integer::toString).toList(),
        Stored.rows(catalog, ordered(partition.rowsSql(range(0, rows)))));
  }

  private static String numbered(String sql) {
    return "SELECT i || '|' || \"at \"\"home\"\"\" FROM (" + sql + ") ORDER BY i";
  }

  private static String ordered(String sql) {
    return "SELECT i FROM (" + sql + ") ORDER BY i";
  }

  @Test
  void aRangeTouchesOnlyTheFilesThatItNeeds() throws Exception {
    Stored stored = new Stored(folder);
    PartitionDefinition definition =
        Stored.parquet(
            "p",
            stored.parquet("a.parquet", "SELECT i FROM range(10) t(i)"),
            stored.parquet("b.parquet", "SELECT i FROM range(10) t(i)"),
            stored.parquet("c.parquet", "SELECT i FROM range(10) t(i)"));
    try (DuckDbCatalog catalog = Stored.open(definition)) {
      ServedPartition partition = catalog.table("t").partitions().get(0);
      String sql = partition.rowsSql(range(10, 21));
      assertFalse(sql.contains("a.parquet"), sql);
      assertTrue(sql.contains("b.parquet"), sql);
      assertTrue(sql.contains("c.parquet"), sql);
    }
  }

  @Test
  void rangesOutsideOfThePartitionAreRefused() throws Exception {
    Path file = new Stored(folder).parquet("a.parquet", "SELECT i FROM range(10) t(i)");
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", file))) {
      ServedPartition partition = catalog.table("t").partitions().get(0);
      for (Optional<RowRange> range : List.of(range(-1, 5), range(5, 4), range(0, 11))) {
        TallyException e = assertThrows(TallyException.class, () -> partition.rowsSql(range));
        assertEquals(ErrorCode.INVALID_REQUEST, e.code());
        assertTrue(e.getMessage().contains("10 rows"), e.getMessage());
      }
    }
  }

  @Test
  void rowsWithoutStablePositionsAreNotSplittable() throws Exception {
    Stored stored = new Stored(folder);
    Path deleted =
        stored.database(
            "deleted.duckdb",
            "CREATE TABLE t AS SELECT i FROM range(1000) t(i)",
            "DELETE FROM t WHERE i = 500");
    Path hidden = stored.database("hidden.duckdb", "CREATE TABLE t AS SELECT 1 AS rowid");
    Path hiddenParquet = stored.parquet("h.parquet", "SELECT 1 AS file_row_number");
    for (PartitionDefinition definition :
        List.of(
            Stored.database("p", deleted),
            Stored.database("p", hidden),
            Stored.parquet("p", hiddenParquet),
            Stored.csv("p", stored.text("a.csv", "i\n1\n")),
            Stored.json("p", stored.text("a.json", "{\"i\": 1}")))) {
      try (DuckDbCatalog catalog = Stored.open(definition)) {
        ServedPartition partition = catalog.table("t").partitions().get(0);
        assertFalse(partition.splittable(), definition.toString());
        assertEquals(
            partition.rows(), Stored.rows(catalog, partition.rowsSql(Optional.empty())).size());
        assertThrows(TallyException.class, () -> partition.numberedRowsSql(Optional.empty(), "at"));
        TallyException e = assertThrows(TallyException.class, () -> partition.rowsSql(range(0, 1)));
        assertEquals(ErrorCode.INVALID_REQUEST, e.code());
      }
    }
  }

  private static Optional<RowRange> range(long first, long end) {
    return Optional.of(RowRange.newBuilder().setFirst(first).setEnd(end).build());
  }
}
