package io.tally.tests;

import static io.tally.tests.BadInput.refused;
import static io.tally.tests.BadInput.wrongConfiguration;
import static io.tally.tests.BadInput.wrongData;
import static io.tally.tests.BadInputBench.ROWS;

import io.tally.rpc.v1.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The table of what can be wrong with a node's configuration and files, at its start and while it
 * runs, and how each is answered.
 */
final class BadFiles {
  private static final String RECORDS =
      "SELECT i::INT AS id, 'name ' || i AS name, DATE '2001-02-03' + i::INT AS d"
          + " FROM range(1000) r(i)";
  private static final String OTHER_COLUMNS =
      "SELECT i::INT AS id, 'name ' || i AS title, DATE '2001-02-03' + i::INT AS d"
          + " FROM range(1000) r(i)";
  private static final String OTHER_TYPE =
      "SELECT i::INT AS id, i AS name, DATE '2001-02-03' + i::INT AS d FROM range(1000) r(i)";
  private static final String LETTER = "Dear Sir or Madam, this is a letter.";

  private BadFiles() {}

  static Stream<BadInput> all() {
    return Stream.of(
            configurations().stream(),
            declarations().stream(),
            nextPartition(),
            nextPartitionOfAnotherType(),
            Stream.of(DataFormat.values()).flatMap(BadFiles::atStart),
            Stream.of(DataFormat.values()).flatMap(BadFiles::whileRunning))
        .flatMap(cases -> cases);
  }

  private static List<BadInput> configurations() {
    return List.of(
        wrongConfiguration(
            "unknown key of a table",
            bench -> bench.start(records(bench).with("partitionedby", "id")),
            "unknown key partitionedby",
            "did you mean partitioned-by?"),
        wrongConfiguration(
            "unknown key at the top",
            bench -> bench.start(Map.of("hots", "127.0.0.1"), records(bench)),
            "unknown key hots",
            "did you mean host?"),
        wrongConfiguration(
            "unknown limit",
            bench -> bench.start(Map.of("limits", Map.of("concurrent-scan", 1)), records(bench)),
            "unknown key concurrent-scan",
            "did you mean concurrent-scans?"),
        wrongConfiguration(
            "an open address by mistake",
            bench -> bench.start(Map.of("host", "0.0.0.0"), records(bench)),
            "0.0.0.0",
            "use 127.0.0.1, or set allow-insecure-network: true"),
        wrongConfiguration(
            "a partition twice",
            bench -> {
              Path file = bench.files().parquet(RECORDS);
              return bench.start(TableConfig.table("t").parquet("p", file).parquet("p", file));
            },
            "\"p\"",
            "choose another"),
        wrongConfiguration(
            "a partition without data",
            bench -> bench.start(TableConfig.table("t").partition(Map.of("id", "p"))),
            "add one of parquet, csv, json, duckdb"));
  }

  private static List<BadInput> declarations() {
    return List.of(
        wrongData(
            "a file that is something else",
            bench -> {
              Path letter = bench.files().bytes("parquet", LETTER.getBytes(StandardCharsets.UTF_8));
              return bench.start(TableConfig.table("t").parquet("p", letter));
            },
            "partition \"p\"",
            "sample-",
            "check that the file is whole, and of the format"),
        wrongData(
            "rows outside the declared range",
            bench ->
                bench.start(
                    TableConfig.table("t")
                        .with("partitioned-by", "d")
                        .parquetRange(
                            "p", bench.files().parquet(RECORDS), "2001-03-01", "2001-04-01")),
            "partition \"p\"",
            "from 2001-03-01",
            "correct the declaration or move the row"));
  }

  private static Stream<BadInput> atStart(DataFormat format) {
    return Stream.of(
        wrongData(
            format + ": missing",
            bench -> bench.start(t(format, bench.files().newFile(format.toString()))),
            "partition \"p\"",
            "sample-",
            "check that it exists"),
        wrongData(
            format + ": empty",
            bench -> bench.start(t(format, bench.files().bytes(format.toString(), new byte[0]))),
            "partition \"p\"",
            "sample-",
            "write it again, or leave it out"),
        wrongData(
            format + ": truncated",
            bench -> {
              Path file = format.write(bench.files(), RECORDS);
              format.cut(file);
              return bench.start(t(format, file));
            },
            "partition \"p\"",
            "sample-",
            format == DataFormat.CSV ? "correct the file" : "check that the file is whole"));
  }

  /** Not JSON's: a record need not have every key. */
  private static Stream<BadInput> nextPartition() {
    return Stream.of(DataFormat.PARQUET, DataFormat.CSV, DataFormat.DUCKDB)
        .map(
            format ->
                wrongData(
                    format + ": other columns in the next partition",
                    bench -> {
                      Path file = format.write(bench.files(), RECORDS);
                      Path other = format.write(bench.files(), OTHER_COLUMNS);
                      return bench.start(format.addTo(t(format, file), "q", other));
                    },
                    "column \"name\" is in",
                    "all must have the same columns"));
  }

  /** Of the formats that declare types. */
  private static Stream<BadInput> nextPartitionOfAnotherType() {
    return Stream.of(DataFormat.PARQUET, DataFormat.DUCKDB)
        .map(
            format ->
                wrongData(
                    format + ": a column of another type in the next partition",
                    bench -> {
                      Path file = format.write(bench.files(), RECORDS);
                      Path other = format.write(bench.files(), OTHER_TYPE);
                      return bench.start(format.addTo(t(format, file), "q", other));
                    },
                    "column \"name\" has type BIGINT in partition \"q\","
                        + " but VARCHAR in partition \"p\"",
                    "store it in one type"));
  }

  private static Stream<BadInput> whileRunning(DataFormat format) {
    return Stream.of(
        refused(
            format + ": deleted while the node runs",
            ErrorCode.DATA_UNREADABLE,
            bench -> {
              Path file = format.write(bench.files(), RECORDS);
              Map<String, String> options = bench.nodes(t(format, file));
              Files.delete(file);
              return bench.query(options, ROWS);
            },
            "partition \"p\"",
            "restore it and restart the node"),
        refused(
            format + ": truncated while the node runs",
            ErrorCode.LAYOUT_CHANGED,
            bench -> {
              Path file = format.write(bench.files(), RECORDS);
              Map<String, String> options = bench.nodes(t(format, file));
              format.cut(file);
              return bench.query(options, ROWS);
            },
            "partition \"p\"",
            "restart the node to serve it"),
        refused(
            format + ": other columns while the node runs",
            ErrorCode.LAYOUT_CHANGED,
            bench -> {
              Path file = format.write(bench.files(), RECORDS);
              Map<String, String> options = bench.nodes(t(format, file));
              Files.write(file, Files.readAllBytes(format.write(bench.files(), OTHER_COLUMNS)));
              return bench.query(options, ROWS);
            },
            "partition \"p\"",
            "restart the node to serve it"));
  }

  private static TableConfig t(DataFormat format, Path file) {
    return format.addTo(TableConfig.table("t"), "p", file);
  }

  private static TableConfig records(BadInputBench bench) {
    return t(DataFormat.PARQUET, bench.files().parquet(RECORDS));
  }
}
