package io.tally.server.table;

import java.util.Objects;

/**
 * A node cannot serve what it was told to. The message is one sentence that names table, partition
 * and column, and says what to do.
 */
public final class CatalogException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Who has to act. */
  public enum Kind {
    /** What was written in the configuration cannot be meant. */
    CONFIGURATION,
    /** The stored data cannot be read, or is not what the configuration says. */
    DATA
  }

  private final Kind kind;

  private CatalogException(Kind kind, String message, Throwable cause) {
    super(Objects.requireNonNull(message), cause);
    this.kind = kind;
  }

  static CatalogException configuration(String message) {
    return configuration(message, null);
  }

  static CatalogException configuration(String message, Throwable cause) {
    return new CatalogException(Kind.CONFIGURATION, message, cause);
  }

  static CatalogException data(String message) {
    return new CatalogException(Kind.DATA, message, null);
  }

  static CatalogException data(String message, Throwable cause) {
    return new CatalogException(Kind.DATA, message, cause);
  }

  /** The same problem, said to be in {@code place}. */
  CatalogException in(String place) {
    return new CatalogException(kind, place + ": " + getMessage(), this);
  }

  /** Who has to act. */
  public Kind kind() {
    return kind;
  }
}
