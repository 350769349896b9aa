/** Columns and types: what the nodes describe in Arrow, as Spark sees it. */
package io.tally.spark.types;
