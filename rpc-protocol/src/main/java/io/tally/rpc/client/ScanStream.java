package io.tally.rpc.client;

import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.End;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The answer to one scan, batch by batch. gRPC's threads receive ahead of the consumer into a
 * bounded queue; the consumer waits without polling. Credits are topped up as batches are consumed,
 * so that the node always has some in hand unless the consumer is the slower side.
 *
 * <p>One thread consumes. {@link #close} may be called by any thread, at any time, and wakes a
 * waiting consumer.
 *
 * <p>Every method but close throws {@link io.tally.rpc.TallyException}: the node's error;
 * NODE_UNREACHABLE if the connection broke; NODE_SILENT if nothing arrived for {@link
 * ScanOptions#silenceMillis} while the consumer waited; PROTOCOL_VIOLATION if the stream ended
 * without totals or with others than arrived. A failed stream stays failed.
 */
public final class ScanStream implements AutoCloseable {
  ScanStream() {}

  /** The schema of the batches. Waits for Opened. */
  public Schema schema() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Which parts of Open take effect. Waits for Opened. */
  public Applied applied() {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * Moves to the next batch, waiting for it. Returns false at the end, and then the totals have
   * been checked; a batch may be empty.
   */
  public boolean next() {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * The current batch: the same root each time, its content valid until the next call of {@link
   * #next} or {@link #close}. To keep vectors longer, transfer them.
   */
  public VectorSchemaRoot batch() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** The node's totals, once {@link #next} returned false. */
  public End totals() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** What has arrived so far, for metrics. Safe for any thread. */
  public Received received() {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * Counters of a stream.
   *
   * @param batches batches handed to the consumer
   * @param rows rows in them
   * @param bodyBytes bytes of their bodies
   * @param firstBatchNanos time from opening to the first batch (or the end, if there is none); 0
   *     if not there yet
   * @param waitedNanos total time that the consumer has waited
   */
  public record Received(
      long batches, long rows, long bodyBytes, long firstBatchNanos, long waitedNanos) {}

  /**
   * Cancels the scan if it is not finished and releases everything. The batch is no longer valid.
   */
  @Override
  public void close() {
    throw new UnsupportedOperationException("skeleton");
  }
}
