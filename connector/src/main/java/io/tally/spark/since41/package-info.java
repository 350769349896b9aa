/**
 * What only Spark 4.1 and newer have. A class of this package may be loaded only where Spark is
 * known to be so new, so nobody names its types in a field, a signature or a test of a type.
 */
package io.tally.spark.since41;
