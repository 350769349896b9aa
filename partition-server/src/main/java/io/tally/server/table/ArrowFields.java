package io.tally.server.table;

import io.tally.rpc.SqlTypeName;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;

/**
 * Asks DuckDB how it exports a SELECT to Arrow, so that a described schema is by construction the
 * one that scans send.
 */
final class ArrowFields {
  private ArrowFields() {}

  /**
   * The field under which values are sent that DuckDB exports as {@code exported}: the same layout,
   * but of the type that the values mean.
   */
  static Field named(Field exported, DuckType wire) {
    DuckType stored = wire instanceof DuckType.Named named ? named.stored() : wire;
    boolean isMap = stored instanceof DuckType.MapType;
    List<Field> children = new ArrayList<>();
    for (int i = 0; i < exported.getChildren().size(); i++) {
      Field child = exported.getChildren().get(i);
      // A map's only child are its entries, whose children are key and value.
      children.add(isMap ? entries(child, stored.parts()) : named(child, stored.parts().get(i)));
    }
    Optional<SqlTypeName> name =
        wire instanceof DuckType.Named named ? Optional.of(named.name()) : Optional.empty();
    FieldType type =
        new FieldType(
            exported.isNullable(),
            type(exported.getType(), name),
            null,
            name.map(SqlTypeName::toMetadata).orElse(null));
    return new Field(exported.getName(), type, children);
  }

  private static Field entries(Field exported, List<DuckType> types) {
    return new Field(
        exported.getName(),
        exported.getFieldType(),
        List.of(
            named(exported.getChildren().get(0), types.get(0)),
            named(exported.getChildren().get(1), types.get(1))));
  }

  private static ArrowType type(ArrowType exported, Optional<SqlTypeName> name) {
    if (name.filter(SqlTypeName::isInterval).isEmpty()) {
      return exported;
    }
    return ((ArrowType.Int) exported).getBitWidth() == Integer.SIZE
        ? new ArrowType.Interval(IntervalUnit.YEAR_MONTH)
        : new ArrowType.Duration(TimeUnit.MICROSECOND);
  }

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
