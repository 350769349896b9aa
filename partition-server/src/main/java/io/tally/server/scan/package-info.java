/** One scan: wire request to one SQL statement to byte-bounded batches. Knows no network. */
package io.tally.server.scan;
