package io.tally.tests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Hands on the 22 queries of TPC-H, with the parameters for which answers are published. */
final class TpchQueries {
  static final int COUNT = 22;

  private TpchQueries() {}

  /** The SQL of query 1 to 22, as Spark's jar of tests has it. */
  static String text(int query) {
    return resource("tpch/q" + query + ".sql");
  }

  static String resource(String path) {
    try (InputStream stream = TpchQueries.class.getClassLoader().getResourceAsStream(path)) {
      if (stream == null) {
        throw new IllegalArgumentException("There is no " + path);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
