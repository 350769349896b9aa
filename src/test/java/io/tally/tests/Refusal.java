package io.tally.tests;

import io.tally.rpc.TallyException;
import org.apache.spark.SparkThrowable;

/**
 * How a bad input was answered.
 *
 * @param code name of an {@code ErrorCode}, condition of Spark, or a node's exit status
 * @param message what the user reads
 */
record Refusal(String code, String message) {

  /** Of the error of ours that is among the causes, or else of Spark's. */
  static Refusal of(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof TallyException ours) {
        return new Refusal(ours.code().name(), ours.getMessage());
      }
    }
    if (error instanceof SparkThrowable sparks && sparks.getCondition() != null) {
      return new Refusal(sparks.getCondition(), error.getMessage());
    }
    throw new AssertionError("neither an error of ours nor a typed one of Spark", error);
  }

  /** Of a node that ended instead of starting. */
  static Refusal ofExit(int status, String log) {
    return new Refusal(exitStatus(status), log);
  }

  static String exitStatus(int status) {
    return "exit status " + status;
  }
}
