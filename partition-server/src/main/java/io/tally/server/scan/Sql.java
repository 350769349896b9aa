package io.tally.server.scan;

import java.util.ArrayList;
import java.util.List;

/**
 * Receives the pieces of a statement in the order in which they stand in it, and hands on its text
 * with the values of its parameters in the same order.
 */
final class Sql {
  private final StringBuilder text = new StringBuilder();
  private final List<SqlParameter> parameters = new ArrayList<>();

  /** An identifier that means exactly {@code name}. */
  static String quote(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Appends trusted text: nothing of it comes from a client, unless quoted. */
  Sql append(String piece) {
    text.append(piece);
    return this;
  }

  /** Appends a placeholder for {@code value}. */
  Sql append(SqlParameter value) {
    text.append('?');
    parameters.add(value);
    return this;
  }

  /** Appends another statement's pieces. */
  Sql append(Sql other) {
    text.append(other.text);
    parameters.addAll(other.parameters);
    return this;
  }

  String text() {
    return text.toString();
  }

  List<SqlParameter> parameters() {
    return List.copyOf(parameters);
  }
}
