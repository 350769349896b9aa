package io.tally.server;

import java.util.List;

/** The configuration cannot be used: one line for people per problem. */
final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  private final List<String> lines;

  ConfigurationException(List<String> lines) {
    super(String.join("\n", lines));
    this.lines = List.copyOf(lines);
  }

  List<String> lines() {
    return lines;
  }
}
