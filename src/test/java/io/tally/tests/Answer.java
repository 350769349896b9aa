package io.tally.tests;

import io.tally.examples.quickstart.TallyScans;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructField;

/** What came of a query, right or wrong: rows, or an error. */
public sealed interface Answer {
  /**
   * Rows.
   *
   * @param types name and type of each column
   * @param scans the plan's lines of the Tally scans
   */
  record Returned(List<String> types, List<Row> rows, List<String> scans) implements Answer {}

  /**
   * An error.
   *
   * @param conditions of Spark, the outermost first, such as {@code ARITHMETIC_OVERFLOW}
   */
  record Failed(List<String> conditions, Exception cause) implements Answer {}

  /** Runs the query in this session and takes either outcome. */
  static Answer of(SparkSession spark, String sql) {
    try {
      Dataset<Row> dataset = spark.sql(sql);
      List<Row> rows = dataset.collectAsList();
      List<String> scans = TallyScans.of(dataset.queryExecution().executedPlan()).descriptions();
      return new Returned(types(dataset), rows, scans);
    } catch (Exception e) {
      // Scala's methods throw checked exceptions that they do not declare.
      return new Failed(conditions(e), e);
    }
  }

  /** The conditions of an error and of its causes. */
  static List<String> conditions(Throwable error) {
    List<String> conditions = new ArrayList<>();
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SparkThrowable throwable && throwable.getCondition() != null) {
        conditions.add(throwable.getCondition());
      }
    }
    return conditions;
  }

  /** Name and type of each column. */
  static List<String> types(Dataset<Row> dataset) {
    return List.of(dataset.schema().fields()).stream().map(Answer::type).toList();
  }

  private static String type(StructField field) {
    return field.name() + " " + field.dataType().sql();
  }
}
