/** The public face in Spark: data source {@code tally}, table, options. */
package io.tally.spark;
