package io.tally.server.scan;

/**
 * How large the expressions of one scan may be.
 *
 * @param depth deepest nesting, at least 1; walks recurse, so this also bounds their stack
 * @param nodes most nodes of all expressions together, counting literals
 */
public record ExpressionLimits(int depth, int nodes) {
  /**
   * Most function calls among the nodes, whatever {@code nodes} is: planning time in the engine
   * grows with the square of their number, and cannot be interrupted (some seconds for this many).
   */
  static final int MAX_CALLS = 10_000;

  /** Most keys and aggregates of an aggregation together. */
  static final int MAX_AGGREGATION_COLUMNS = 1_000;

  /** Deeper settings than this would not be safe for the stack. */
  public static final int MAX_DEPTH = 256;

  public ExpressionLimits {
    if (depth < 1 || depth > MAX_DEPTH || nodes < 1) {
      throw new IllegalArgumentException(
          "expression depth is 1 to %d and nodes at least 1, not %d and %d"
              .formatted(MAX_DEPTH, depth, nodes));
    }
  }
}
