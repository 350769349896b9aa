/**
 * Spark's offers (predicates, aggregations) to wire expressions, or a refusal with its reason; and
 * what can be proved from the statistics of partitions. Knows neither network nor readers.
 */
package io.tally.spark.pushdown;
