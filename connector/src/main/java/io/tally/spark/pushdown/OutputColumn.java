package io.tally.spark.pushdown;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * One column of an aggregation's answer: what the node sends, and what Spark is told that it gets.
 *
 * @param role what the values are, which decides how they are split and what is neutral
 * @param sent type of the node's vector, as Spark would read it
 * @param read type in the scan's schema
 */
public record OutputColumn(Role role, DataType sent, DataType read) implements Serializable {

  /** What the values of a column of an aggregation are. */
  public enum Role {
    /** A grouping key: repeated in extra rows. */
    KEY,
    /** A count: neutral 0. */
    COUNT,
    /**
     * An exact sum of integers or intervals, sent as DECIMAL(38, 0), read as BIGINT or interval:
     * neutral NULL.
     */
    INTEGER_SUM,
    /** An exact sum of decimals, sent with 38 digits: neutral NULL. */
    DECIMAL_SUM,
    /** A minimum, a maximum or a sum of floating-point numbers: neutral NULL. */
    OTHER
  }
}
