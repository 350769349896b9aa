package io.tally.spark.read;

/**
 * Something that Spark offered and computes itself.
 *
 * @param what as text for people
 * @param reason a clause for people
 */
record NotPushed(String what, String reason) {
  @Override
  public String toString() {
    return what + ": " + reason;
  }
}
