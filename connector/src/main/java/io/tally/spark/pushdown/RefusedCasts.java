package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.DataType;

/** Takes the types of a cast that the protocol does not have and gives the reason, for people. */
final class RefusedCasts {
  private static final String NO_TRUTH = "nodes take no number but an integer for a truth value";
  private static final String NO_TIME = "nodes do not take numbers for times, or times for numbers";

  private RefusedCasts() {}

  /** A clause, to stand behind a semicolon. */
  static String reason(DataType from, DataType to) {
    if (WireTypes.isInterval(from) || WireTypes.isInterval(to)) {
      return "nodes do not take intervals for anything else";
    }
    return switch (from.getKind()) {
      case BOOLEAN -> "nodes take a truth value for an integer or a text only";
      case FLOAT, DOUBLE -> ofFloatingPoint(to);
      case DECIMAL -> ofDecimal(to);
      case STRING -> "programs read texts differently";
      case BINARY ->
          to.equals(WireTypes.STRING)
              ? "bytes need not be a text, and programs differ in what they make of those"
              : "nodes do not take bytes for numbers";
      case DATE, TIMESTAMP, TIMESTAMP_NTZ -> ofTime(to);
      default -> to.equals(WireTypes.BINARY) ? "nodes do not take numbers for bytes" : NO_TIME;
    };
  }

  private static String ofFloatingPoint(DataType to) {
    return switch (to.getKind()) {
      case STRING -> "programs write them with different digits";
      case FLOAT -> "the node's engine fails where the result is infinite";
      case BOOLEAN -> NO_TRUTH;
      case TIMESTAMP -> NO_TIME;
      default -> "programs round them differently, and statistics do not prove that they fit";
    };
  }

  private static String ofDecimal(DataType to) {
    return switch (to.getKind()) {
      case FLOAT, DOUBLE -> "programs turn decimals of many digits into such numbers differently";
      case STRING -> "programs write small numbers with many digits behind the point differently";
      case BOOLEAN -> NO_TRUTH;
      default -> NO_TIME;
    };
  }

  private static String ofTime(DataType to) {
    return switch (to.getKind()) {
      case STRING -> "programs write fractions of seconds and distant years differently";
      case TIMESTAMP -> "a time on the clocks of a place may stand for two instants, or for none";
      default -> NO_TIME;
    };
  }
}
