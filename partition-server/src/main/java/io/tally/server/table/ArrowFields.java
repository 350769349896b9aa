package io.tally.server.table;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;

/**
 * Asks DuckDB how it exports a SELECT to Arrow, so that a described schema is by construction the
 * one that scans send.
 */
final class ArrowFields {
  private ArrowFields() {}

  static List<Field> of(DuckDb database, String select) throws SQLException, CatalogException {
    try (DuckDBConnection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM (" + select + ") LIMIT 0");
        BufferAllocator allocator = new RootAllocator();
        ArrowReader reader =
            (ArrowReader) rows.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, 1)) {
      return List.copyOf(reader.getVectorSchemaRoot().getSchema().getFields());
    } catch (IOException e) {
      throw CatalogException.data("its columns cannot be exported to Arrow: " + e.getMessage(), e);
    }
  }
}
