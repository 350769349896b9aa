package io.tally.tests.differential;

import io.tally.tests.LocalSpark;
import io.tally.tests.SampleFiles;
import io.tally.tests.TableConfig;
import io.tally.tests.TallyCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * Takes one or several {@link WorldSpec}s that differ in their rows alone, writes their files,
 * starts one cluster that holds them all, and hands on a {@link World} for each. Closing ends the
 * nodes and deletes the files.
 */
final class Worlds implements AutoCloseable {
  private static final SparkSession WRITER =
      LocalSpark.newSession(
          Map.of(
              "spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS",
              "spark.sql.datetime.java8API.enabled", "true",
              "spark.sql.timeType.enabled", "true",
              "spark.sql.codegen.wholeStage", "false"));

  private static final Set<Worlds> OPEN = ConcurrentHashMap.newKeySet();

  private final SampleFiles files = new SampleFiles();
  private final List<World> worlds = new ArrayList<>();
  private final List<List<World.Served>> served = new ArrayList<>();
  private TallyCluster cluster;

  private Worlds() {}

  /** Ends the nodes also of a run that is interrupted. */
  static void closeWhenStopped() {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(Worlds::close)));
  }

  static Worlds start(List<WorldSpec> specs) {
    Worlds worlds = new Worlds();
    OPEN.add(worlds);
    try {
      worlds.startAll(specs);
      return worlds;
    } catch (RuntimeException e) {
      worlds.close();
      throw e;
    }
  }

  World get(int index) {
    return worlds.get(index);
  }

  /** A world whose nodes hold the rows of another than Spark reads: every answer is a mistake. */
  World lying(int truth, int lie) {
    List<World.Served> mixed = new ArrayList<>();
    for (int i = 0; i < served.get(truth).size(); i++) {
      World.Served right = served.get(truth).get(i);
      String servedName = served.get(lie).get(i).servedName();
      mixed.add(new World.Served(right.data(), servedName, right.directory()));
    }
    World world = new World(worlds.get(truth).spec(), cluster, mixed);
    worlds.add(world);
    return world;
  }

  private void startAll(List<WorldSpec> specs) {
    int nodeCount = specs.get(0).nodes();
    List<List<TableConfig>> nodes = new ArrayList<>();
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(new ArrayList<>());
    }
    for (int i = 0; i < specs.size(); i++) {
      List<World.Served> tables = new ArrayList<>();
      for (TableData table : specs.get(i).tables()) {
        String name = table.name() + "_of_" + i;
        tables.add(new World.Served(table, name, write(table, name, specs.get(i), nodes)));
      }
      served.add(tables);
    }
    // A node without a table is no node of the cluster.
    cluster = TallyCluster.of(nodes.stream().filter(it -> !it.isEmpty()).toList());
    for (int i = 0; i < specs.size(); i++) {
      worlds.add(new World(specs.get(i), cluster, served.get(i)));
    }
  }

  /** Writes a file for each partition and adds the table to the nodes. */
  private Path write(
      TableData table, String servedName, WorldSpec spec, List<List<TableConfig>> nodes) {
    try {
      Path directory = Files.createDirectory(files.newFile("rows"));
      List<TableConfig> onNodes =
          new ArrayList<>(nodes.stream().map(it -> TableConfig.table(servedName)).toList());
      boolean databases = spec.databases() && table.survivesDatabases();
      for (int i = 0; i < table.partitions().size(); i++) {
        Path parquet = directory.resolve("part-" + i + ".parquet");
        Files.move(writeRows(table.columns(), table.partitions().get(i)), parquet);
        int node = i % nodes.size();
        Path database =
            databases
                ? files.duckdb("CREATE TABLE rows AS FROM read_parquet('" + parquet + "')")
                : parquet;
        onNodes.set(node, World.addPartition(onNodes.get(node), databases, i, parquet, database));
      }
      for (int i = 0; i < nodes.size(); i++) {
        if (!onNodes.get(i).partitions().isEmpty()) {
          nodes.get(i).add(onNodes.get(i));
        }
      }
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path writeRows(List<Column> columns, List<List<Object>> rows) throws IOException {
    StructType schema =
        StructType.fromDDL(
            columns.stream()
                .map(it -> it.name() + " " + (isVariant(it) ? "STRING" : it.type().storedSql()))
                .collect(Collectors.joining(", ")));
    List<Row> external = rows.stream().map(row -> row(columns, row)).toList();
    Path output = files.newFile("out");
    String[] converted =
        columns.stream()
            .map(it -> isVariant(it) ? "parse_json(" + it.name() + ") AS " + it.name() : it.name())
            .toArray(String[]::new);
    WRITER
        .createDataFrame(external, schema)
        .coalesce(1)
        .selectExpr(converted)
        .write()
        .parquet(output.toString());
    try (Stream<Path> written = Files.list(output)) {
      return written
          .filter(it -> it.getFileName().toString().endsWith(".parquet"))
          .filter(it -> it.getFileName().toString().startsWith("part-"))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("Spark wrote no file for " + schema));
    }
  }

  private static boolean isVariant(Column column) {
    return column.type().kind() == Kind.VARIANT;
  }

  private static Row row(List<Column> columns, List<Object> values) {
    Object[] cells = new Object[values.size()];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = Values.external(columns.get(i).type(), values.get(i));
    }
    return RowFactory.create(cells);
  }

  @Override
  public void close() {
    if (!OPEN.remove(this)) {
      return;
    }
    try (files) {
      // First the nodes: a Spark that is being stopped refuses the rest.
      if (cluster != null) {
        cluster.close();
      }
      worlds.forEach(World::close);
    }
  }
}
