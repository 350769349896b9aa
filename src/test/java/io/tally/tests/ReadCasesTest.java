package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.spark.read.ConnectorMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.jdk.javaapi.CollectionConverters;

/** Reading that went wrong in other systems: counts, stale answers, dead peers. */
@ExtendWith(FlightsCluster.class)
class ReadCasesTest {
  private static final int BIG_ROWS = 100_000_000;
  private static final int BIG_PARTITIONS = 22;
  private static final long JANUARY = 508_239;

  private static Dataset<Row> read(TallyCluster cluster, String table, Map<String, String> more) {
    Map<String, String> options = new LinkedHashMap<>(cluster.options(table));
    options.putAll(more);
    return LocalSpark.newSession().read().format("tally").options(options).load();
  }

  @Test
  @DisplayName("CNT-5: rows that were deleted are not counted")
  void deletedRows() {
    try (SampleFiles files = new SampleFiles()) {
      Path file =
          files.duckdb(
              "CREATE TABLE t AS SELECT range::INT AS a FROM range(100)",
              "DELETE FROM t WHERE a < 50",
              "CHECKPOINT");
      try (TallyCluster cluster =
          TallyCluster.of(List.of(List.of(TableConfig.table("t").duckdb("p", file, "t"))))) {
        for (String pushDown : List.of("true", "false")) {
          Dataset<Row> table = read(cluster, "t", Map.of("push-down", pushDown));
          assertEquals(50, table.count());
          assertEquals(7, table.where("a % 7 = 0").count());
        }
      }
    }
  }

  @Test
  @DisplayName("CNT-6: more rows than an int counts")
  void moreThanTwoThousandMillionRows() throws IOException {
    try (SampleFiles files = new SampleFiles()) {
      Path file = files.parquet("SELECT 1::TINYINT AS a FROM range(" + BIG_ROWS + ")");
      TableConfig big = TableConfig.table("big").with("column-statistics", false);
      for (int i = 0; i < BIG_PARTITIONS; i++) {
        big = big.parquet("p" + i, file);
      }
      try (TallyCluster cluster = TallyCluster.of(List.of(List.of(big)))) {
        long expected = (long) BIG_ROWS * BIG_PARTITIONS;
        // One task for all of them: its batches, too, have to count further than an int does.
        Map<String, String> rows =
            Map.of("push-down", "false", "split-rows", Long.toString(2 * expected));
        assertEquals(expected, rowsInBatches(read(cluster, "big", rows)));
        assertEquals(expected, read(cluster, "big", Map.of()).count());
      }
    }
  }

  /** What a count without push-down reads, as Spark reads it but for its loop over the rows. */
  private static long rowsInBatches(Dataset<Row> table) throws IOException {
    SparkPlan plan = table.groupBy().count().queryExecution().sparkPlan();
    SparkPlan leaf = CollectionConverters.asJava(plan.collectLeaves()).get(0);
    Batch batch = ((BatchScanExec) leaf).scan().toBatch();
    InputPartition[] partitions = batch.planInputPartitions();
    assertEquals(1, partitions.length);
    long rows = 0;
    try (PartitionReader<ColumnarBatch> reader =
        batch.createReaderFactory().createColumnarReader(partitions[0])) {
      while (reader.next()) {
        rows += reader.get().numRows();
      }
    }
    return rows;
  }

  @Test
  @DisplayName(
      "PLN-5: a DataFrame sees what the nodes have when it is asked, on both sides of a join")
  void dataThatGrows() {
    try (SampleFiles files = new SampleFiles()) {
      try (TallyCluster cluster = TallyCluster.of(List.of(List.of(upTo(files, 1))))) {
        Dataset<Row> table = read(cluster, "t", Map.of());
        SparkSession spark = table.sparkSession();
        table.createOrReplaceTempView("t");
        assertEquals(1, table.count());
        replace(cluster, t(files, "unnest(range(2))::INT AS k, 'x' AS v"));
        assertEquals(2, table.count());
        assertEquals(2, table.as("l").join(table.as("r"), "k").count());
        spark.sql("CACHE TABLE t");
        assertEquals(2, spark.table("t").count());
        Dataset<Row> wider = read(cluster, "t", Map.of());
        assertEquals(List.of("k", "v"), List.of(wider.columns()));
        assertEquals(List.of("k"), List.of(table.columns()));
        replace(cluster, upTo(files, 3));
        assertEquals(2, spark.table("t").count());
        spark.sql("REFRESH TABLE t");
        assertEquals(3, spark.table("t").count());
        spark.sql("UNCACHE TABLE t");
        Refusal gone = Refusal.of(assertThrows(Exception.class, wider::count));
        assertEquals(ErrorCode.COLUMN_NOT_FOUND.name(), gone.code());
        assertTrue(gone.message().contains("\"v\""), gone::message);
      }
    }
  }

  private static TableConfig upTo(SampleFiles files, int last) {
    return t(files, "unnest(range(" + last + "))::INT AS k");
  }

  private static TableConfig t(SampleFiles files, String columns) {
    return TableConfig.table("t").parquet("p", files.parquet("SELECT " + columns));
  }

  private static void replace(TallyCluster cluster, TableConfig table) {
    cluster.node(0).stop();
    cluster.node(0).start(List.of(table));
  }

  @Test
  @DisplayName("NET-2: a node that falls silent fails the query in bounded time")
  void aStoppedProcess() {
    try (SampleFiles files = new SampleFiles();
        TallyCluster cluster =
            TallyCluster.of(
                List.of(
                    List.of(
                        TableConfig.table("t")
                            .parquet("p", files.parquet("SELECT range AS a FROM range(10)")))))) {
      Dataset<Row> table = read(cluster, "t", Map.of("silence-timeout-ms", "2000"));
      assertEquals(10, table.count());
      cluster.node(0).pause();
      try {
        Throwable error = assertThrows(Exception.class, table.groupBy("a").count()::collectAsList);
        while (!(error instanceof TallyException)) {
          assertTrue(error.getCause() != null, error::toString);
          error = error.getCause();
        }
        assertTrue(
            List.of(ErrorCode.NODE_SILENT, ErrorCode.NODE_UNREACHABLE)
                .contains(((TallyException) error).code()),
            error::toString);
      } finally {
        cluster.node(0).resume();
      }
      assertEquals(Collections.nCopies(10, 1L), counts(table));
    }
  }

  /** What the node holds for it is in the node's own tests of flow control. */
  @Test
  @DisplayName("RES-2: a function that is slower than a node stops the node, and memory is flat")
  void aSlowFunction(TallyCluster flights) {
    Map<String, String> options = Map.of("window-bytes", "262144", "max-batch-bytes", "65536");
    Dataset<Row> table = read(flights, "flights", options);
    table.createOrReplaceTempView("f");
    SparkSession spark = table.sparkSession();
    spark.udf().register("slow", (UDF2<Long, Long, Long>) ReadCasesTest::slow, DataTypes.LongType);
    Row answer =
        spark
            .sql(
                "SELECT count(*), max(slow(delay, distance)) FROM f"
                    + " WHERE date < TIMESTAMP_NTZ '2001-02-01'")
            .head();
    assertEquals(JANUARY, answer.getLong(0));
    assertTrue(answer.getLong(1) > 0, "there was memory to look at");
    assertTrue(answer.getLong(1) <= 2 * 262144, () -> answer.getLong(1) + " bytes at a time");
  }

  /** Takes a while for each row, and tells how much memory the connector holds meanwhile. */
  private static Long slow(Long delay, Long distance) {
    long hash = distance;
    for (int i = 0; i < 100; i++) {
      hash = hash * 31 + (delay == null ? i : delay);
    }
    return ConnectorMemory.allocatedBytes() + (hash == 0 ? 1 : 0);
  }

  @Test
  @DisplayName("RES-5: a task that reads a thousand splits holds no more than one of them")
  void aThousandSplits() {
    try (SampleFiles files = new SampleFiles();
        TallyCluster cluster =
            TallyCluster.of(List.of(List.of(t(files, "range AS a FROM range(1000)"))))) {
      long all = mostMemory(cluster, "1000000", 1);
      long each = mostMemory(cluster, "1", 1000);
      assertTrue(all > 0, "there was memory to look at");
      assertTrue(each <= 4 * all, () -> each + " bytes for a row at a time, " + all + " for all");
    }
  }

  /** While one task reads the table {@code t}. */
  private static long mostMemory(TallyCluster cluster, String splitRows, int splits) {
    Dataset<Row> table = read(cluster, "t", Map.of("split-rows", splitRows));
    assertEquals(splits, table.rdd().getNumPartitions());
    table
        .sparkSession()
        .udf()
        .register(
            "memory",
            (UDF1<Long, Long>) value -> ConnectorMemory.allocatedBytes(),
            DataTypes.LongType);
    Row answer = table.coalesce(1).selectExpr("count(*)", "sum(a)", "max(memory(a))").head();
    assertEquals("1000|499500", answer.getLong(0) + "|" + answer.getLong(1));
    return answer.getLong(2);
  }

  private static List<Long> counts(Dataset<Row> table) {
    return table.groupBy("a").count().collectAsList().stream().map(row -> row.getLong(1)).toList();
  }
}
