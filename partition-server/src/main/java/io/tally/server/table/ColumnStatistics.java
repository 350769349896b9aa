package io.tally.server.table;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Literal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one aggregate query over a partition finds out.
 *
 * @param rows exact number of rows
 * @param bounds one for each column that was asked for
 */
record ColumnStatistics(long rows, List<ColumnBounds> bounds) {
  ColumnStatistics {
    bounds = List.copyOf(bounds);
  }

  /**
   * Reads all rows of a partition once.
   *
   * @param rowsSql yields the columns in their wire types
   */
  static ColumnStatistics compute(DuckDb database, String rowsSql, List<StoredColumn> columns)
      throws CatalogException {
    StringBuilder sql = new StringBuilder("SELECT count(*)");
    for (StoredColumn column : columns) {
      String name = SqlText.identifier(column.name());
      sql.append(", count(").append(name).append(")");
      literalType(column)
          .ifPresent(
              type ->
                  sql.append(", ")
                      .append(type.boundSql("min(" + name + ")"))
                      .append(", ")
                      .append(type.boundSql("max(" + name + ")")));
    }
    List<ColumnStatistics> result = new ArrayList<>();
    database.query(
        sql.append(" FROM (").append(rowsSql).append(")").toString(),
        row -> result.add(read(row, columns)));
    return result.get(0);
  }

  private static ColumnStatistics read(ResultSet row, List<StoredColumn> columns)
      throws SQLException {
    long rows = row.getLong(1);
    List<ColumnBounds> bounds = new ArrayList<>();
    int next = 2;
    for (StoredColumn column : columns) {
      long values = row.getLong(next++);
      ColumnBounds.Builder builder =
          ColumnBounds.newBuilder()
              .setColumn(column.name())
              .setMayContainNull(values < rows)
              .setAllNull(values == 0);
      Optional<LiteralType> type = literalType(column);
      if (type.isPresent()) {
        Optional<Literal> lower = type.get().read(row, next++);
        Optional<Literal> upper = type.get().read(row, next++);
        lower.ifPresent(builder::setLower);
        upper.ifPresent(builder::setUpper);
      }
      bounds.add(builder.build());
    }
    return new ColumnStatistics(rows, bounds);
  }

  private static Optional<LiteralType> literalType(StoredColumn column) {
    return column.wireType().flatMap(LiteralType::of);
  }
}
