/**
 * Tables, their partitions, statistics and storage. The interfaces are what a JVM service
 * implements to serve its own data; the implementation here serves files and DuckDB databases.
 */
package io.tally.server.table;
