package io.tally.tests.differential;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A type of Spark.
 *
 * @param sql as in a CREATE TABLE
 * @param width of DECIMAL the precision, of CHAR and VARCHAR the length, of an interval the months
 *     or seconds of its smallest field (0 for microseconds); else 0
 * @param scale of DECIMAL
 * @param parts types inside: an element, a key and a value, or the fields
 */
record Type(Kind kind, String sql, int width, int scale, List<Type> parts) {
  Type {
    parts = List.copyOf(parts);
  }

  /** The type of its kind that most columns have. */
  static Type of(Kind kind) {
    return switch (kind) {
      case BYTE -> plain(kind, "TINYINT");
      case SHORT -> plain(kind, "SMALLINT");
      case LONG -> plain(kind, "BIGINT");
      case COLLATED -> plain(kind, "STRING COLLATE UTF8_LCASE");
      case TIME -> plain(kind, "TIME(6)");
      case YEAR_MONTH -> interval(kind, "YEAR TO MONTH", 1);
      case DAY_TIME -> interval(kind, "DAY TO SECOND", 0);
      default -> plain(kind, kind.name());
    };
  }

  private static Type plain(Kind kind, String sql) {
    return new Type(kind, sql, 0, 0, List.of());
  }

  static Type decimal(int precision, int scale) {
    String sql = "DECIMAL(" + precision + "," + scale + ")";
    return new Type(Kind.DECIMAL, sql, precision, scale, List.of());
  }

  /** {@code CHAR} or {@code VARCHAR}. */
  static Type characters(String name, int length) {
    return new Type(Kind.STRING, name + "(" + length + ")", length, 0, List.of());
  }

  static Type interval(Kind kind, String fields, int smallest) {
    return new Type(kind, "INTERVAL " + fields, smallest, 0, List.of());
  }

  static Type array(Type element) {
    return new Type(Kind.ARRAY, "ARRAY<" + element.sql + ">", 0, 0, List.of(element));
  }

  static Type map(Type key, Type value) {
    String sql = "MAP<" + key.sql + "," + value.sql + ">";
    return new Type(Kind.MAP, sql, 0, 0, List.of(key, value));
  }

  static Type struct(List<Type> fields) {
    String sql =
        IntStream.range(0, fields.size())
            .mapToObj(i -> fieldName(i) + ":" + fields.get(i).sql)
            .collect(Collectors.joining(",", "STRUCT<", ">"));
    return new Type(Kind.STRUCT, sql, 0, 0, fields);
  }

  static String fieldName(int index) {
    return "f" + index;
  }

  /** The type as files hold it: CHAR and VARCHAR are STRING there. */
  String storedSql() {
    return isCharacters() ? "STRING" : sql;
  }

  boolean isCharacters() {
    return kind == Kind.STRING && width > 0;
  }

  /** Whether a DuckDB database keeps the type: it has no place for what Spark notes in files. */
  boolean survivesDatabases() {
    boolean noted = kind == Kind.COLLATED || kind.isInterval();
    return !noted && parts.stream().allMatch(Type::survivesDatabases);
  }

  /** Whether values can be compared; a MAP anywhere inside prevents it. */
  boolean isOrdered() {
    return kind.isOrdered() && parts.stream().allMatch(Type::isOrdered);
  }
}
