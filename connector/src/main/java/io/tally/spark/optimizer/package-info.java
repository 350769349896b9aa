/**
 * Rules of Spark's optimizer that make a query over a Tally table one that Spark offers to its
 * source as it is. They change no answer and push nothing; they only keep Spark's translation for
 * data sources from what it does wrongly.
 */
package io.tally.spark.optimizer;
