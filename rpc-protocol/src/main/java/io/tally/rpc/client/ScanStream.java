package io.tally.rpc.client;

import io.grpc.Channel;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.arrow.BodyCodecs;
import io.tally.rpc.arrow.RecordBatchDecoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.arrow.ScanMethod;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Opened;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answer to one scan, batch by batch. gRPC's threads receive ahead of the consumer into a
 * bounded queue; the consumer waits without polling. Credits are topped up as batches are consumed,
 * so that the node always has some in hand unless the consumer is the slower side. A batch counts
 * as consumed when the consumer asks for the next.
 *
 * <p>If {@code Open.resume_after} was set, for nodes with the feature {@code scan.resume}, a
 * connection that breaks is made again as {@link ScanOptions#reconnect} says, and the consumer
 * notices nothing but the time that it takes. A scan that its node does not have any more starts
 * anew only while no batch was handed out, and fails with SCAN_LOST otherwise.
 *
 * <p>One thread consumes. {@link #close} may be called by any thread, at any time, and wakes a
 * waiting consumer.
 *
 * <p>Every method but close throws {@link TallyException}: the node's error; NODE_UNREACHABLE if
 * the connection broke for good; NODE_SILENT if nothing arrived for {@link
 * ScanOptions#silenceMillis} while the consumer waited; CANCELLED if the stream was closed or the
 * consumer interrupted; PROTOCOL_VIOLATION if the stream ended without totals or with others than
 * arrived. A failed stream stays failed.
 */
public final class ScanStream implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ScanStream.class);

  /** What a message may hold besides its body: header, totals, names. */
  private static final int MAX_MESSAGE_OVERHEAD_BYTES = 5 << 20;

  /** A node is asked to give a sign of life this often while a silence is tolerated. */
  private static final int SIGNS_PER_SILENCE = 4;

  /** How long close waits for gRPC, which answers a cancel at once unless it is in trouble. */
  private static final long CLOSE_TIMEOUT_MILLIS = 10_000;

  private final ScanLabel label;
  private final StreamWindow window;
  private final BufferAllocator allocator;
  private final ScanConnection connection;
  private final ScanInbox inbox;
  private final BodyCodec codec;
  private final int maxBodyBytes;

  /** Guards root and closed, so that close does not free a batch while it is being loaded. */
  private final Object batchLock = new Object();

  private VectorSchemaRoot root;
  private boolean closed;

  // Of the consumer alone.
  private Schema schema;
  private boolean hasBatch;
  private long batchBytes;
  private long consumedBatches;

  private volatile Counters counters = new Counters(0, 0, 0);

  private record Counters(long batches, long rows, long bodyBytes) {}

  private ScanStream(
      Channel channel,
      NodeAddress address,
      Open open,
      ScanOptions options,
      StreamWindow window,
      BufferAllocator own) {
    this.label = new ScanLabel(address, open);
    this.window = window;
    this.allocator = own;
    this.codec = codecOf(open);
    this.maxBodyBytes = maxBodyBytes(options);
    this.connection =
        new ScanConnection(
            channel, ScanMethod.descriptor(own), maxMessageBytes(options), open, options, label);
    this.inbox = connection.inbox();
  }

  /** See {@link NodeClient#scan}. */
  static ScanStream open(
      Channel channel,
      NodeAddress address,
      Open open,
      ScanOptions wanted,
      WindowBudget windows,
      BufferAllocator parent) {
    WindowBudget.Share share = windows.take(wanted.windowBytes(), wanted.processWindowBytes());
    ScanOptions options = wanted.within(share.bytes());
    StreamWindow window = new StreamWindow(share, options);
    try {
      Open completed = complete(open, options);
      BufferAllocator own =
          parent.newChildAllocator(
              "scan " + completed.getScanId(), 0, maxMemoryBytes(wanted, codecOf(open)));
      return start(channel, address, completed, options, window, own);
    } catch (RuntimeException | Error e) {
      window.close();
      throw e;
    }
  }

  private static ScanStream start(
      Channel channel,
      NodeAddress address,
      Open open,
      ScanOptions options,
      StreamWindow window,
      BufferAllocator own) {
    ScanStream stream = null;
    try {
      stream = new ScanStream(channel, address, open, options, window, own);
      stream.connection.connect();
      return stream;
    } catch (RuntimeException | Error e) {
      if (stream == null) {
        own.close();
      } else {
        stream.close();
      }
      throw e;
    }
  }

  private static Open complete(Open open, ScanOptions options) {
    Open.Builder completed =
        open.toBuilder()
            .setMaxBatchBytes(options.maxBatchBytes())
            .setMaxRowBytes(maxBodyBytes(options))
            .setBodyCodec(codecOf(open).wireName())
            .setProgressIntervalMillis(Math.max(1, options.silenceMillis() / SIGNS_PER_SILENCE));
    if (options.reconnect().tries() == 0) {
      completed.clearResumeAfter();
    }
    if (open.getScanId().isEmpty()) {
      completed.setScanId(UUID.randomUUID().toString());
    }
    return completed.build();
  }

  /** What was asked for, if this process can decompress it: nobody is asked in vain. */
  private static BodyCodec codecOf(Open open) {
    return BodyCodec.ofWireName(open.getBodyCodec())
        .filter(BodyCodecs::isAvailable)
        .orElse(BodyCodec.NONE);
  }

  /** Before it was compressed. */
  private static int maxBodyBytes(ScanOptions options) {
    return Math.max(options.maxRowBytes(), options.maxBatchBytes());
  }

  private static int maxMessageBytes(ScanOptions options) {
    return (int)
        Math.min(Integer.MAX_VALUE, (long) maxBodyBytes(options) + MAX_MESSAGE_OVERHEAD_BYTES);
  }

  /**
   * The window at its largest, one frame that gRPC was asked for when the window was not quite
   * full, and the body of one batch if that is not its frame's; twice, because Arrow rounds
   * allocations up to powers of two. What is beyond comes from a node that does not keep to the
   * protocol.
   */
  private static long maxMemoryBytes(ScanOptions options, BodyCodec codec) {
    long decompressedBytes = codec == BodyCodec.NONE ? 0 : maxBodyBytes(options);
    return 2 * (options.windowBytes() + maxMessageBytes(options) + decompressedBytes);
  }

  /** The schema of the batches. Waits for Opened. */
  public Schema schema() {
    Opened opened = inbox.awaitOpened();
    if (schema == null) {
      try {
        schema = ArrowSchemas.decode(opened.getArrowSchema());
      } catch (TallyException e) {
        throw damaged(e);
      }
    }
    return schema;
  }

  /** Which parts of Open take effect. Waits for Opened. */
  public Applied applied() {
    return inbox.awaitOpened().getApplied();
  }

  /**
   * Moves to the next batch, waiting for it. Returns false at the end, and then the totals have
   * been checked; a batch may be empty.
   */
  public boolean next() {
    release();
    Optional<ScanFrame> frame = inbox.awaitBatch();
    frame.ifPresent(this::load);
    return frame.isPresent();
  }

  /**
   * The current batch: the same root each time, its content valid until the next call of {@link
   * #next} or {@link #close}. To keep vectors longer, transfer them to another allocator.
   *
   * @throws IllegalStateException if the last call of {@link #next} did not return true
   */
  public VectorSchemaRoot batch() {
    if (!hasBatch) {
      throw new IllegalStateException("there is no current batch");
    }
    return root;
  }

  /**
   * The node's totals, once {@link #next} returned false.
   *
   * @throws IllegalStateException before that
   */
  public End totals() {
    return inbox.totals().orElseThrow(() -> new IllegalStateException("the scan is not complete"));
  }

  /** What has arrived so far, for metrics. Safe for any thread. */
  public Received received() {
    Counters now = counters;
    return new Received(
        now.batches,
        now.rows,
        now.bodyBytes,
        inbox.firstBatchNanos(),
        inbox.waitedNanos(),
        connection.reconnects());
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
   * @param reconnects how often the connection broke and was made again, or was tried to
   */
  public record Received(
      long batches,
      long rows,
      long bodyBytes,
      long firstBatchNanos,
      long waitedNanos,
      long reconnects) {}

  /**
   * Cancels the scan if it is not finished and releases everything. The batch is no longer valid.
   * May be called again.
   */
  @Override
  public void close() {
    inbox.fail(label.closed());
    synchronized (batchLock) {
      if (closed) {
        return;
      }
      closed = true;
      if (root != null) {
        root.close();
      }
    }
    // A frame may still be on its way through gRPC, in memory of this allocator.
    if (!connection.awaitCallOver(CLOSE_TIMEOUT_MILLIS)) {
      LOG.warn(
          "gRPC has not ended a cancelled call in {} ms; its memory is freed when it does",
          CLOSE_TIMEOUT_MILLIS);
      connection.afterCall(this::free);
      return;
    }
    free();
  }

  private void free() {
    // Also where something is left in the allocator, which is a fault.
    try (window) {
      allocator.close();
    }
  }

  private void release() {
    if (!hasBatch) {
      return;
    }
    hasBatch = false;
    synchronized (batchLock) {
      if (!closed) {
        root.clear();
      }
    }
    consumedBatches++;
    int credits = window.consumed();
    inbox.consumed(batchBytes, window.bytes());
    if (credits > 0 && inbox.expectsBatches()) {
      connection.grant(credits, consumedBatches);
    }
  }

  private void load(ScanFrame frame) {
    batchBytes = ScanInbox.heldBytes(frame);
    long bodyBytes = frame.bodyBytes();
    try (frame) {
      Schema batchSchema = schema();
      synchronized (batchLock) {
        if (closed) {
          throw label.closed();
        }
        if (root == null) {
          root = VectorSchemaRoot.create(batchSchema, allocator);
        }
        decode(frame);
      }
    }
    hasBatch = true;
    Counters before = counters;
    counters =
        new Counters(
            before.batches + 1, before.rows + root.getRowCount(), before.bodyBytes + bodyBytes);
  }

  private void decode(ScanFrame frame) {
    try {
      RecordBatchDecoder.load(frame, root, codec, maxBodyBytes);
    } catch (TallyException e) {
      throw damaged(e);
    }
  }

  /** Damage that only the consumer's side notices ends the scan too. */
  private TallyException damaged(TallyException error) {
    TallyException located = label.located(error);
    inbox.fail(located);
    return located;
  }
}
