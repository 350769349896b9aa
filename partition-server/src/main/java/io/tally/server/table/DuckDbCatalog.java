package io.tally.server.table;

import io.tally.rpc.NearestName;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes definitions of tables and serves them from files through one DuckDB instance: Parquet, CSV,
 * JSON, and tables of DuckDB databases, all of them read-only.
 *
 * <p>Opening reads every file once, so that what is wrong with the data is said when the node
 * starts and not in the middle of a scan. Files that change later are noticed by {@link
 * ServedTable#checkUnchanged}; they are served again after a restart.
 */
public final class DuckDbCatalog implements TableCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(DuckDbCatalog.class);

  private final DuckDb database;
  private final Map<String, LoadedTable> tables;

  private DuckDbCatalog(DuckDb database, Map<String, LoadedTable> tables) {
    this.database = database;
    this.tables = tables;
  }

  /**
   * Opens the database, reads and checks all tables, and locks the database down to their files.
   * The caller closes the catalog.
   *
   * @throws CatalogException if a table cannot be served as it is defined; nothing stays open
   * @throws SQLException if DuckDB itself cannot be set up
   */
  public static DuckDbCatalog open(DatabaseSettings settings, List<TableDefinition> definitions)
      throws CatalogException, SQLException {
    DuckDb database = DuckDb.open(settings);
    try {
      Map<String, LoadedTable> tables = new LinkedHashMap<>();
      for (TableDefinition definition : definitions) {
        LoadedTable table = TableLoader.load(database, definition);
        LOG.info(
            "table \"{}\": {} rows in {} partitions",
            table.name(),
            table.loadedPartitions().stream().mapToLong(LoadedPartition::rows).sum(),
            table.loadedPartitions().size());
        table
            .unservedColumns()
            .forEach(
                column ->
                    LOG.warn(
                        "table \"{}\": column \"{}\" is not served. {}",
                        table.name(),
                        column.name(),
                        column.reason()));
        if (tables.put(table.name(), table) != null) {
          throw CatalogException.configuration(
              "table \"" + definition.name() + "\" is defined twice; give each its own name");
        }
      }
      database.lockDown(files(tables));
      return new DuckDbCatalog(database, tables);
    } catch (CatalogException | SQLException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private static Set<Path> files(Map<String, LoadedTable> tables) {
    Set<Path> files = new LinkedHashSet<>();
    for (LoadedTable table : tables.values()) {
      for (LoadedPartition partition : table.loadedPartitions()) {
        partition.storage().files().forEach(file -> files.add(file.path()));
      }
    }
    return files;
  }

  @Override
  public List<String> tableNames() {
    return List.copyOf(tables.keySet());
  }

  @Override
  public ServedTable table(String name) {
    ServedTable table = tables.get(name);
    if (table == null) {
      throw new TallyException(
          ErrorCode.TABLE_NOT_FOUND,
          "This node has no table \""
              + ShownText.name(name)
              + "\"; "
              + NearestName.of(name, tables.keySet())
                  .map(near -> "did you mean \"" + near + "\"?")
                  .orElse("ask for a table that is in its configuration."));
    }
    return table;
  }

  @Override
  public DuckDBConnection connect() throws SQLException {
    return database.connect();
  }

  @Override
  public void close() {
    database.close();
  }
}
