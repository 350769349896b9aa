package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.server.fixture.Int96File;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Instants stored as INT96, which DuckDB misreads before Julian day 0. */
class AncientInstantsTest {
  private static final String DAY_0 = "-4713-11-24T00:00:00Z";
  private static final String LAST = "9999-12-31T23:59:59.999999Z";

  private static final DuckType LOCAL = new DuckType.Plain("TIMESTAMP");
  private static final DuckType INSTANT = new DuckType.Plain("TIMESTAMP WITH TIME ZONE");

  @TempDir Path folder;

  @Test
  void whatIsReadRightlyIsServed() throws Exception {
    Path file = write("a.parquet", List.of("t"), DAY_0, "1969-12-31T23:59:59.999999Z", LAST);
    try (DuckDbCatalog catalog = Stored.open(Stored.parquet("p", file))) {
      String rows = catalog.table("t").partitions().get(0).rowsSql(Optional.empty());
      assertEquals(
          List.of("-210866803200000000", "-1", "253402300799999999"),
          Stored.rows(catalog, "SELECT epoch_us(t) FROM (" + rows + ") ORDER BY t"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-4713-11-23T23:59:59.999999Z",
        "-9999-01-01T00:00:00Z",
        "-58140-01-01T00:00:00Z",
        "-290000-01-01T00:00:00Z",
        "+10000-01-01T00:00:00Z"
      })
  void whatMayBeMisreadMakesTheColumnUnreadable(String instant) throws Exception {
    Path bad = write("bad.parquet", List.of("t"), DAY_0, instant, LAST);
    Path good = write("good.parquet", List.of("t"), DAY_0);
    for (Path[] files : new Path[][] {{bad}, {bad, good}, {good, bad}}) {
      assertUnreadable(bad, "t", files);
    }
  }

  @Test
  void instantsInStructsAreLookedAtToo() throws Exception {
    Path bad = write("bad.parquet", List.of("s", "f", "t"), "-9999-01-01T00:00:00Z");
    assertUnreadable(bad, "s", bad);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[TIMESTAMP '2020-01-01', NULL] | false",
        "[NULL, TIMESTAMP '20000-01-01'] | true",
        "NULL | false",
      })
  void instantsInListsAndMapsAreLookedAtToo(String list, boolean doubtful) throws Exception {
    DuckType local = new DuckType.ListType(new DuckType.ListType(LOCAL));
    assertDoubt(
        doubtful,
        "[[], " + list + "]",
        local,
        new DuckType.ListType(new DuckType.ListType(INSTANT)));
    DuckType text = DuckType.Plain.VARCHAR;
    assertDoubt(
        doubtful,
        "MAP {'a': " + list + "::TIMESTAMP[]}",
        new DuckType.MapType(text, new DuckType.ListType(LOCAL)),
        new DuckType.MapType(text, new DuckType.ListType(INSTANT)));
  }

  private static void assertDoubt(boolean doubtful, String value, DuckType type, DuckType meaning)
      throws Exception {
    String doubt = ParquetInstants.doubt("v", type, meaning, 0).orElseThrow();
    try (DuckDb database = DuckDb.open(DatabaseSettings.defaults())) {
      database.query(
          "SELECT coalesce(bool_or(" + doubt + "), false) FROM (SELECT " + value + " AS v)",
          row -> assertEquals(doubtful, row.getBoolean(1), doubt));
    }
  }

  private static void assertUnreadable(Path bad, String column, Path... files) throws Exception {
    try (DuckDb database = DuckDb.open(DatabaseSettings.defaults())) {
      PartitionStorage storage =
          ParquetStorage.open(database, new PartitionSource.Parquet(List.of(files)));
      StoredColumn read = storage.columns().get(0);
      assertEquals(column, read.name());
      assertEquals(Optional.empty(), read.wireType());
      String reason = read.toUnserved().reason();
      assertTrue(reason.startsWith(bad + " holds INT96 timestamps"), reason);
    }
  }

  private Path write(String name, List<String> path, String... instants) throws Exception {
    return Int96File.write(
        folder.resolve(name), path, Arrays.stream(instants).map(Instant::parse).toList());
  }
}
