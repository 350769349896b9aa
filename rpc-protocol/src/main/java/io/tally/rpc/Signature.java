package io.tally.rpc;

import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Expression;
import java.util.List;
import java.util.Optional;

/**
 * Which arguments a scalar function takes, and the type of its result: the same rule for those who
 * write an expression and for those who evaluate it. Immutable; safe for any thread.
 *
 * @param arguments for people, in the words of {@code expression.proto}
 * @param result for people
 * @param rule decides
 */
public record Signature(String arguments, String result, Rule rule) {

  /**
   * An argument.
   *
   * @param expression some rules ask for a literal
   * @param type of its values
   */
  public record Argument(Expression expression, DataType type) {}

  /** Gives the type of the result, or empty if the function does not take these arguments. */
  public interface Rule {
    /**
     * The type of the result.
     *
     * @param target {@code Call.type}; the default instance if the call has none
     */
    Optional<DataType> result(List<Argument> arguments, DataType target);
  }
}
