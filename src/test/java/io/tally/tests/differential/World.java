package io.tally.tests.differential;

import io.tally.tests.Answer;
import io.tally.tests.LocalSpark;
import io.tally.tests.TableConfig;
import io.tally.tests.TallyCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;

/**
 * Takes a {@link WorldSpec} whose tables a running cluster holds, and answers queries over them in
 * each {@link Way}. Closing drops what it has defined in Spark.
 */
final class World implements AutoCloseable {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final WorldSpec spec;
  private final Map<Way, SparkSession> sessions = new LinkedHashMap<>();
  private final List<String> databases = new ArrayList<>();

  /** Where the answer comes from. */
  enum Way {
    /** Spark alone, over the same rows in Parquet. */
    PARQUET,
    /** Spark over the rows that the nodes send. */
    FETCHING,
    /** With push-down. */
    PUSHING
  }

  /** A table as the nodes hold it, and its files. */
  record Served(TableData data, String servedName, Path directory) {}

  World(WorldSpec spec, TallyCluster cluster, List<Served> tables) {
    this.spec = spec;
    for (Way way : Way.values()) {
      SparkSession spark = LocalSpark.newSession(spec.settings());
      sessions.put(way, spark);
      for (Served table : tables) {
        define(spark, way, cluster, table);
      }
    }
  }

  private void define(SparkSession spark, Way way, TallyCluster cluster, Served table) {
    Map<String, String> options = new LinkedHashMap<>();
    String format = "parquet";
    if (way == Way.PARQUET) {
      options.put("path", table.directory().toString());
    } else {
      format = "tally";
      options.putAll(cluster.options(table.servedName()));
      options.putAll(spec.options());
      options.put("push-down", Boolean.toString(way == Way.PUSHING));
    }
    String name = table.data().name();
    if (table.data().columns().stream().noneMatch(it -> it.type().isCharacters())) {
      spark.read().format(format).options(options).load().createOrReplaceTempView(name);
      return;
    }
    // Only a table of a catalog has columns of type CHAR and VARCHAR, and all sessions share it.
    String database = "world_" + DATABASES.incrementAndGet();
    databases.add(database);
    spark.sql("CREATE DATABASE " + database);
    String columns =
        table.data().columns().stream()
            .map(it -> it.name() + " " + it.type().sql())
            .collect(Collectors.joining(", ", "(", ")"));
    String with =
        options.entrySet().stream()
            .map(it -> "'" + it.getKey() + "' '" + it.getValue() + "'")
            .collect(Collectors.joining(", ", "(", ")"));
    spark.sql(
        "CREATE TABLE %s.%s %s USING %s OPTIONS %s"
            .formatted(database, name, columns, format, with));
    spark.sql("CREATE TEMPORARY VIEW " + name + " AS SELECT * FROM " + database + "." + name);
  }

  WorldSpec spec() {
    return spec;
  }

  Answer answer(Way way, String sql) {
    return Answer.of(sessions.get(way), sql);
  }

  /** What each partition of a table is, for the configuration of a node. */
  static TableConfig addPartition(
      TableConfig config, boolean databases, int index, Path parquet, Path database) {
    String id = "p" + index;
    return databases ? config.duckdb(id, database, "rows") : config.parquet(id, parquet);
  }

  @Override
  public void close() {
    SparkSession spark = sessions.get(Way.PARQUET);
    if (!spark.sparkContext().isStopped()) {
      databases.forEach(it -> spark.sql("DROP DATABASE " + it + " CASCADE"));
    }
    sessions.values().forEach(it -> it.catalog().clearCache());
  }
}
