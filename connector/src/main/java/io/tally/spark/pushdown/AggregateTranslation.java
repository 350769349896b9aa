package io.tally.spark.pushdown;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.v1.Expression;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;

/** What became of one aggregate of an aggregation. */
sealed interface AggregateTranslation {

  /**
   * Nodes compute it.
   *
   * @param arguments on the wire, parameters included
   * @param text for people
   * @param output its column
   * @param unlessComplete why Spark could not add its results up; empty if it can
   * @param fits whether statistics prove that the result fits the type that Spark expects
   */
  record Translated(
      AggregateFunction function,
      List<Expression> arguments,
      String text,
      OutputColumn output,
      Optional<String> unlessComplete,
      boolean fits)
      implements AggregateTranslation {
    public Translated {
      arguments = List.copyOf(arguments);
    }

    /** One whose results Spark can add up or compare. */
    static Translated merging(
        AggregateFunction function, Operand operand, String text, OutputColumn output) {
      return new Translated(
          function, List.of(operand.expression()), text, output, Optional.empty(), true);
    }

    /** One that is right only where a stream has all rows of a group. */
    static Translated whole(
        AggregateFunction function,
        List<Expression> arguments,
        String text,
        DataType type,
        String unlessComplete) {
      OutputColumn output = new OutputColumn(OutputColumn.Role.OTHER, type, type);
      return new Translated(function, arguments, text, output, Optional.of(unlessComplete), true);
    }
  }

  /**
   * Spark computes it.
   *
   * @param reason a clause for people
   */
  record Refused(String reason) implements AggregateTranslation {}
}
