package io.tally.server.table;

import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** All tables of the node, and the database that scans them. Safe for any thread. */
public interface TableCatalog extends AutoCloseable {
  /** Names of the tables, in order. */
  List<String> tableNames();

  /**
   * The table of exactly that name.
   *
   * @throws io.tally.rpc.TallyException TABLE_NOT_FOUND with the nearest name that exists
   */
  ServedTable table(String name);

  /**
   * A connection of its own for one scan, on which {@link ServedPartition#rowsSql} can be run. The
   * caller closes it, and changes no settings: results are streamed ({@code jdbc_stream_results}),
   * {@code TimeZone} is UTC, and {@code preserve_insertion_order} had better be off, since no
   * answer depends on order and threads then deliver side by side.
   */
  DuckDBConnection connect() throws SQLException;

  /** Closes the database. Stop the scans first: connections that are still open keep its memory. */
  @Override
  void close();
}
