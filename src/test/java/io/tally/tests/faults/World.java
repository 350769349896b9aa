package io.tally.tests.faults;

import io.tally.server.fixture.Await;
import io.tally.tests.SampleFiles;
import io.tally.tests.ScratchFolder;
import io.tally.tests.TableConfig;
import io.tally.tests.TallyNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Rows in files, two nodes that hold them, all both ({@link #SHARED}) or half of them each ({@link
 * #SPLIT}), and DuckDB, which tells from the files what is right. The first node waits for clients
 * whose connection broke, the second not for long.
 */
final class World implements AutoCloseable {
  static final String SHARED = "shared_rows";
  static final String SPLIT = "split_rows";

  static final int ROWS = 6_000;
  static final int PARTITIONS = 4;

  /** Long enough for a client that comes back at once, on a busy machine, too. */
  private static final long PATIENT_GRACE_MILLIS = 2_000;

  private static final long IMPATIENT_GRACE_MILLIS = 150;
  private static final long STOP_GRACE_MILLIS = 100;

  private final SampleFiles files = new SampleFiles();
  private final ScratchFolder folder = new ScratchFolder("faults");
  private final List<Path> parquet = new ArrayList<>();
  private final List<TallyNode> nodes = new ArrayList<>();
  private final Map<String, List<String>> truths = new HashMap<>();

  /** Nodes end also when the run is stopped from outside. */
  private final AtomicBoolean closed = new AtomicBoolean();

  private World() {}

  static World start() {
    World world = new World();
    Runtime.getRuntime().addShutdownHook(new Thread(world::close));
    try {
      world.startAll();
      return world;
    } catch (RuntimeException e) {
      world.close();
      throw e;
    }
  }

  private void startAll() {
    int rows = ROWS / PARTITIONS;
    for (int i = 0; i < PARTITIONS; i++) {
      parquet.add(
          files.parquet(
              "SELECT range AS id, CAST(range * 7919 % "
                  + Query.KEYS
                  + " AS INTEGER) AS k,"
                  + " CASE WHEN range % 10 <> 3 THEN range * range - 1000000 END AS v,"
                  + " left(md5(CAST(range AS VARCHAR)), 1 + CAST(range % 30 AS INTEGER)) AS s"
                  + " FROM range("
                  + i * rows
                  + ", "
                  + (i + 1) * rows
                  + ")"));
    }
    nodes.add(node("node-a", PATIENT_GRACE_MILLIS, 0));
    nodes.add(node("node-b", IMPATIENT_GRACE_MILLIS, PARTITIONS / 2));
    nodes.forEach(TallyNode::launch);
    nodes.forEach(TallyNode::awaitReady);
  }

  private TallyNode node(String id, long graceMillis, int firstOfItsHalf) {
    List<String> ids = new ArrayList<>();
    TableConfig shared = TableConfig.table(SHARED);
    TableConfig split = TableConfig.table(SPLIT);
    for (int i = 0; i < PARTITIONS; i++) {
      ids.add("p" + i);
      shared = shared.parquet(ids.get(i), parquet.get(i));
      if (i >= firstOfItsHalf && i < firstOfItsHalf + PARTITIONS / 2) {
        split = split.parquet(ids.get(i), parquet.get(i));
      }
    }
    return TallyNode.observed(
        id,
        folder.folder(id),
        Map.of(
            "limits",
            Map.of("resume-grace-millis", graceMillis, "stop-grace-millis", STOP_GRACE_MILLIS)),
        List.of(shared.with("cluster-partitions", ids), split.with("cluster-partitions", ids)));
  }

  List<TallyNode> nodes() {
    return nodes;
  }

  /** What DuckDB answers, each row as one text. */
  List<String> truth(Query query) {
    return truths.computeIfAbsent(query.truthSql(), this::ask);
  }

  private List<String> ask(String sql) {
    String all =
        parquet.stream().map(it -> "'" + it + "'").collect(Collectors.joining(", ", "[", "]"));
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("WITH rows AS (FROM read_parquet(" + all + ")) " + sql)) {
      List<String> rows = new ArrayList<>();
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> cells = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          cells.add(String.valueOf(result.getObject(i)));
        }
        rows.add(String.join("|", cells));
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Returns when no node has anything left of any scan; fails if that does not come. */
  void awaitIdle() {
    for (TallyNode node : nodes) {
      Await.until(
          node.id() + " has nothing left of any scan",
          () -> node.load().equals(TallyNode.Load.NONE));
    }
  }

  /** What the nodes have written last. */
  String lastLogs(int characters) {
    return nodes.stream()
        .map(TallyNode::log)
        .map(log -> log.substring(Math.max(0, log.length() - characters)))
        .collect(Collectors.joining("\n--\n"));
  }

  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    try (files;
        folder) {
      // Also one that was to be woken up, where a run is stopped from outside.
      nodes.stream().filter(TallyNode::isAlive).forEach(TallyNode::resume);
      nodes.forEach(TallyNode::close);
    }
  }
}
