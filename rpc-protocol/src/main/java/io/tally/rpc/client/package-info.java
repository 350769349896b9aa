/**
 * The client side of the wire: addresses, channels, the view of a cluster, and the scan stream.
 * Usable without Spark.
 */
package io.tally.rpc.client;
