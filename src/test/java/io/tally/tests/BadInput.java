package io.tally.tests;

import io.tally.rpc.v1.ErrorCode;
import java.util.List;

/**
 * One row of the table of bad inputs.
 *
 * @param provoke does the wrong thing and gives back how it was answered
 * @param code see {@link Refusal}
 * @param words what the message must name: where the mistake is, and what to do
 */
record BadInput(String name, Provocation provoke, String code, List<String> words) {

  interface Provocation {
    Refusal by(BadInputBench bench) throws Exception;
  }

  /** The data source or a node refuses. */
  static BadInput refused(String name, ErrorCode code, Provocation provoke, String... words) {
    return new BadInput(name, provoke, code.name(), List.of(words));
  }

  /** Spark itself refuses, from what the data source told it. */
  static BadInput refusedBySpark(
      String name, String condition, Provocation provoke, String... words) {
    return new BadInput(name, provoke, condition, List.of(words));
  }

  /** A node does not start: its command line or configuration is wrong. */
  static BadInput wrongConfiguration(String name, Provocation provoke, String... words) {
    return new BadInput(name, provoke, Refusal.exitStatus(2), List.of(words));
  }

  /** A node does not start: its data is not what the configuration says. */
  static BadInput wrongData(String name, Provocation provoke, String... words) {
    return new BadInput(name, provoke, Refusal.exitStatus(3), List.of(words));
  }

  @Override
  public String toString() {
    return name;
  }
}
