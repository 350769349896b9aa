package io.tally.server.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;

/**
 * The node's one database instance: in memory, without a way to the network, and after {@link
 * #lockDown} without a way to any file but those that are served. The loading of tables asks it
 * {@link #query}; scans get connections of their own.
 *
 * <p>Until {@link #lockDown} for one thread, then for any.
 */
final class DuckDb implements AutoCloseable {
  /** Hands on one row of a result. */
  @FunctionalInterface
  interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  /** Messages quote rows, which may be long. */
  private static final int MAX_LINE_CHARS = 200;

  /** The driver's exceptions carry no code, but begin with the engine's exception type. */
  private static final String OUT_OF_MEMORY = "Out of Memory Error: ";

  /**
   * What a statement computes ahead of its reader, beside memory_limit. DuckDB's 10 MiB, of which
   * it tells nobody, are no faster, and too much for each of many scans.
   */
  private static final String STREAMING_BUFFER = "2MiB";

  /** Behind DuckDB's words, which say what it found and not what to do. */
  private static final String ADVICE =
      "; check that the file is whole, and of the format that it is declared as";

  private final Path spillDirectory;

  /** Not streaming: DuckDB's driver loses the message of an error that a streamed row meets. */
  private final DuckDBConnection loading;

  /** Its rows are never asked for: new connections inherit its settings. */
  private final DuckDBConnection streaming;

  private final Map<Path, String> attached = new HashMap<>();

  private boolean closed;

  private DuckDb(Path spillDirectory, DuckDBConnection loading, DuckDBConnection streaming) {
    this.spillDirectory = spillDirectory;
    this.loading = loading;
    this.streaming = streaming;
  }

  static DuckDb open(DatabaseSettings settings) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("jdbc_stream_results", "true");
    Path spillDirectory = createSpillDirectory();
    DuckDBConnection streaming =
        (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:", properties);
    DuckDb database;
    try {
      database = new DuckDb(spillDirectory, streaming.duplicate(), streaming);
    } catch (SQLException e) {
      streaming.close();
      throw e;
    }
    try {
      database.configure(settings);
    } catch (SQLException e) {
      database.close();
      throw e;
    }
    return database;
  }

  private void configure(DatabaseSettings settings) throws SQLException {
    List<String> statements = new ArrayList<>();
    statements.add("SET SESSION jdbc_stream_results = false");
    statements.add("SET GLOBAL TimeZone = 'UTC'");
    statements.add("SET GLOBAL autoinstall_known_extensions = false");
    statements.add("SET GLOBAL autoload_known_extensions = false");
    statements.add("SET GLOBAL allow_community_extensions = false");
    // Order means nothing in an answer; without it, streams are about a tenth faster.
    statements.add("SET GLOBAL preserve_insertion_order = false");
    // DuckDB 2.0.0 fails where a query that finds the first rows of an order also asks for rowid.
    statements.add("SET GLOBAL disabled_optimizers = 'late_materialization'");
    statements.add("SET GLOBAL temp_directory = " + SqlText.path(spillDirectory));
    if (settings.threads() > 0) {
      statements.add("SET GLOBAL threads = " + settings.threads());
    }
    settings
        .memoryLimit()
        .ifPresent(limit -> statements.add("SET GLOBAL memory_limit = " + SqlText.text(limit)));
    for (String sql : statements) {
      execute(sql);
    }
    execute(streaming, "SET SESSION streaming_buffer_size = " + SqlText.text(STREAMING_BUFFER));
  }

  /** Attaches a database file for reading, once, and returns the name it has in SQL. */
  String attach(Path file) throws CatalogException {
    String known = attached.get(file);
    if (known != null) {
      return known;
    }
    String alias = "tally_" + attached.size();
    try {
      execute("ATTACH " + SqlText.path(file) + " AS " + alias + " (TYPE duckdb, READ_ONLY)");
    } catch (SQLException e) {
      throw CatalogException.data(
          file + " cannot be opened as a DuckDB database: " + oneLine(e) + ADVICE, e);
    }
    attached.put(file, alias);
    return alias;
  }

  /** The columns that a SELECT yields. */
  List<StoredColumn> describe(String select) throws CatalogException {
    List<StoredColumn> columns = new ArrayList<>();
    query(
        "DESCRIBE " + select,
        row ->
            columns.add(
                new StoredColumn(row.getString(1), DuckTypeParser.parse(row.getString(2)))));
    return columns;
  }

  /** Runs a statement and reads all its rows. A failure is a problem of the data. */
  void query(String sql, RowReader reader) throws CatalogException {
    try (Statement statement = loading.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    } catch (SQLException e) {
      String message = oneLine(e);
      throw message.startsWith(OUT_OF_MEMORY)
          ? CatalogException.configuration(message + "; raise limits.memory", e)
          : CatalogException.data(message + ADVICE, e);
    }
  }

  /** From here on nothing but the given files can be opened, and no setting be changed. */
  void lockDown(Collection<Path> files) throws SQLException {
    // The engine asks for the name as it is written in a statement, then for the file that it
    // found.
    execute(
        files.stream()
            .flatMap(file -> Stream.of(SqlText.pattern(file), SqlText.path(file)))
            .distinct()
            .collect(Collectors.joining(", ", "SET GLOBAL allowed_paths = [", "]")));
    execute("SET GLOBAL enable_external_access = false");
    execute("SET GLOBAL lock_configuration = true");
  }

  /** A connection whose results are streamed. The caller closes it. */
  DuckDBConnection connect() throws SQLException {
    return streaming.duplicate();
  }

  /**
   * Closes what this class opened, the first time that it is called; the memory is freed with the
   * last connection of {@link #connect}.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      try {
        loading.close();
      } finally {
        streaming.close();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not close", e);
    } finally {
      deleteSpillDirectory();
    }
  }

  private void execute(String sql) throws SQLException {
    execute(loading, sql);
  }

  private static void execute(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Path createSpillDirectory() {
    try {
      Path directory = Files.createTempDirectory("tally-spill-");
      directory.toFile().deleteOnExit(); // if the process is stopped before close
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "No directory can be made for data that does not fit into memory; set java.io.tmpdir", e);
    }
  }

  private void deleteSpillDirectory() {
    try (Stream<Path> contents = Files.walk(spillDirectory)) {
      for (Path path : contents.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + spillDirectory, e);
    }
  }

  /**
   * What went wrong, in one line. DuckDB's messages go on with a quotation of the statement, and
   * with hints for whoever wrote it.
   */
  private static String oneLine(SQLException e) {
    String message = String.valueOf(e.getMessage());
    String file =
        message
            .lines()
            .map(String::strip)
            .filter(line -> line.startsWith("file = "))
            .findFirst()
            .map(line -> " (" + line + ")")
            .orElse("");
    return message
        .lines()
        .takeWhile(line -> !line.isBlank())
        .map(line -> line.length() > MAX_LINE_CHARS ? line.substring(0, MAX_LINE_CHARS) : line)
        .map(String::strip)
        .collect(Collectors.joining("; ", "", file));
  }
}
