package io.tally.server.table;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.LiteralList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Takes what the operator declares of the partitioning column in one partition, checks that it can
 * be meant and that the data agrees, and hands on the bounds that are sent.
 */
final class DeclaredValues {
  private static final int MAX_VALUES_SHOWN = 10;

  private final StoredColumn column;
  private final LiteralType type;
  private final PartitionDeclaration declaration;

  private DeclaredValues(StoredColumn column, LiteralType type, PartitionDeclaration declaration) {
    this.column = column;
    this.type = type;
    this.declaration = declaration;
  }

  static DeclaredValues of(StoredColumn column, PartitionDeclaration declaration)
      throws CatalogException {
    Optional<LiteralType> type = column.wireType().flatMap(LiteralType::of);
    if (type.isEmpty()) {
      throw CatalogException.configuration(
          String.format(
              "column \"%s\" of type %s cannot partition a table; use one of integers, decimals,"
                  + " booleans, strings, dates or timestamps",
              column.name(), column.type().sql()));
    }
    return new DeclaredValues(column, type.get(), declaration);
  }

  /**
   * The bounds as declared.
   *
   * @param statistics what the data shows of the column; its NULLs are taken over
   */
  ColumnBounds bounds(ColumnBounds statistics) throws CatalogException {
    ColumnBounds.Builder bounds = statistics.toBuilder().clearLower().clearUpper();
    try {
      if (declaration instanceof PartitionDeclaration.Range range) {
        setRange(bounds, range);
      } else if (declaration instanceof PartitionDeclaration.Values values) {
        bounds.setValues(LiteralList.newBuilder().addAllItems(literals(values)));
      }
    } catch (IllegalArgumentException e) {
      throw CatalogException.configuration(
          String.format(
              "%s, the type of the column \"%s\"; write a value that it can have",
              e.getMessage(), column.name()));
    }
    return bounds.build();
  }

  private void setRange(ColumnBounds.Builder bounds, PartitionDeclaration.Range range)
      throws CatalogException {
    if (!type.isDiscrete()) {
      throw CatalogException.configuration(
          String.format(
              "range is for integers, dates and timestamps, but column \"%s\" has type %s; use"
                  + " values",
              column.name(), column.type().sql()));
    }
    Optional<Long> from = range.from().map(type::parseInteger);
    Optional<Long> to = range.to().map(type::parseInteger);
    if (to.isPresent() && from.orElse(Long.MIN_VALUE) >= to.get()) {
      throw CatalogException.configuration(
          String.format(
              "the range from %s to %s is empty; to is exclusive and must be larger than from",
              range.from().orElse("the smallest value"), range.to().orElseThrow()));
    }
    from.map(type::integer).ifPresent(bounds::setLower);
    to.map(exclusive -> type.integer(exclusive - 1)).ifPresent(bounds::setUpper);
  }

  private List<Literal> literals(PartitionDeclaration.Values values) {
    return values.values().stream().map(type::parse).distinct().toList();
  }

  /**
   * Looks for a row that contradicts.
   *
   * @param rowsSql the rows of the partition
   * @param bounds what {@link #bounds} answered
   */
  void check(DuckDb database, String rowsSql, ColumnBounds bounds) throws CatalogException {
    String name = SqlText.identifier(column.name());
    List<String> contradictions = new ArrayList<>();
    database.query(
        "SELECT CAST("
            + name
            + " AS VARCHAR) FROM ("
            + rowsSql
            + ") WHERE ("
            + condition(name, bounds)
            + ") IS NOT TRUE LIMIT 1",
        row -> contradictions.add(Optional.ofNullable(row.getString(1)).orElse("NULL")));
    if (!contradictions.isEmpty()) {
      throw CatalogException.data(
          String.format(
              "column \"%s\" has the value %s, which the declared %s does not allow; correct the"
                  + " declaration or move the row",
              column.name(), contradictions.get(0), describe()));
    }
  }

  private String condition(String name, ColumnBounds bounds) {
    String value = type.literalSql(name);
    List<String> conditions = new ArrayList<>();
    if (declaration instanceof PartitionDeclaration.Values values) {
      List<String> items = bounds.getValues().getItemsList().stream().map(type::sql).toList();
      List<String> choices = new ArrayList<>();
      if (!items.isEmpty()) {
        choices.add(value + " IN (" + String.join(", ", items) + ")");
      }
      if (values.nullAllowed()) {
        choices.add(name + " IS NULL");
      }
      return String.join(" OR ", choices);
    }
    conditions.add(name + " IS NOT NULL");
    if (bounds.hasLower()) {
      conditions.add(value + " >= " + type.sql(bounds.getLower()));
    }
    if (bounds.hasUpper()) {
      conditions.add(value + " <= " + type.sql(bounds.getUpper()));
    }
    return String.join(" AND ", conditions);
  }

  private String describe() {
    if (declaration instanceof PartitionDeclaration.Range range) {
      return "range"
          + range.from().map(from -> " from " + from).orElse("")
          + range.to().map(to -> " to " + to + " (exclusive)").orElse("");
    }
    PartitionDeclaration.Values values = (PartitionDeclaration.Values) declaration;
    List<String> shown = new ArrayList<>(values.values());
    if (values.nullAllowed()) {
      shown.add("null");
    }
    return shown.stream()
        .limit(MAX_VALUES_SHOWN)
        .collect(
            Collectors.joining(", ", "values [", shown.size() > MAX_VALUES_SHOWN ? ", …]" : "]"));
  }
}
