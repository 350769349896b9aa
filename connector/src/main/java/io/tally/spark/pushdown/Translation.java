package io.tally.spark.pushdown;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;

/** What became of an expression that Spark offered: a wire expression, or the reason why not. */
public sealed interface Translation {

  /**
   * The node evaluates it exactly as Spark does.
   *
   * @param expression on the wire
   * @param type of its values
   * @param nodes number of wire expressions in it, itself included
   * @param depth levels of nesting, itself included
   */
  record Translated(Expression expression, DataType type, int nodes, int depth)
      implements Translation {}

  /**
   * Spark evaluates it.
   *
   * @param reason a clause for people, to stand behind a colon
   */
  record Refused(String reason) implements Translation {}
}
