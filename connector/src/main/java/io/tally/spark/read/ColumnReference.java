package io.tally.spark.read;

import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;

/** Takes the name of a column, dots and all, and gives Spark a reference to that column. */
final class ColumnReference {
  private ColumnReference() {}

  static NamedReference of(String name) {
    return Expressions.column(quoted(name));
  }

  /** The column as that by which rows are partitioned. */
  static Transform identity(String name) {
    return Expressions.identity(quoted(name));
  }

  private static String quoted(String name) {
    return '`' + name.replace("`", "``") + '`';
  }
}
