package io.tally.tests.differential;

import java.util.EnumSet;
import java.util.Set;

/**
 * What the generators know of a type: which expressions it takes part in. A new type is added here,
 * in {@link Values} (its values and literals) and in {@link TypeGenerator} (how often it occurs).
 */
enum Kind {
  BOOLEAN,
  BYTE,
  SHORT,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  DECIMAL,
  STRING,
  /** Text that is compared by its lower-case letters; {@link #STRING} is compared by its bytes. */
  COLLATED,
  BINARY,
  DATE,
  TIMESTAMP,
  TIMESTAMP_NTZ,
  TIME,
  YEAR_MONTH,
  DAY_TIME,
  ARRAY,
  MAP,
  STRUCT,
  VARIANT;

  private static final Set<Kind> INTEGERS = EnumSet.of(BYTE, SHORT, INT, LONG);
  private static final Set<Kind> FLOATING = EnumSet.of(FLOAT, DOUBLE);
  private static final Set<Kind> NESTED = EnumSet.of(ARRAY, MAP, STRUCT, VARIANT);

  boolean isInteger() {
    return INTEGERS.contains(this);
  }

  boolean isFloating() {
    return FLOATING.contains(this);
  }

  boolean isNumber() {
    return isInteger() || isFloating() || this == DECIMAL;
  }

  boolean isInterval() {
    return this == YEAR_MONTH || this == DAY_TIME;
  }

  boolean isNested() {
    return NESTED.contains(this);
  }

  /** Whether Spark compares, sorts and groups by it; nested ones only if their parts allow it. */
  boolean isOrdered() {
    return this != MAP && this != VARIANT;
  }
}
