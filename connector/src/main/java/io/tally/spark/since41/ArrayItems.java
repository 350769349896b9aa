package io.tally.spark.since41;

import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.GetArrayItem;

/** Takes an item of an array as Spark 4.1 offers it, and hands on its parts. */
public final class ArrayItems {
  private ArrayItems() {}

  public static Expression array(Expression item) {
    return ((GetArrayItem) item).childArray();
  }

  public static Expression ordinal(Expression item) {
    return ((GetArrayItem) item).ordinal();
  }

  /** Whether Spark fails where the array has no such item; else it is NULL. */
  public static boolean failsBehindEnd(Expression item) {
    return ((GetArrayItem) item).failOnError();
  }
}
