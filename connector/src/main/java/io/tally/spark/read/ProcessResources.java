package io.tally.spark.read;

import io.tally.rpc.WindowBudget;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.ScanOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * What the tasks of one JVM share, driver or executor: connections to nodes, which of them did not
 * answer a moment ago, what streams may have on their way, and the root of Arrow memory. All are
 * made at first use and live as long as the JVM, because Spark tells a data source nothing about
 * the end of an application. Connections that are idle drop by themselves; the root holds no memory
 * but that of its children, one for each open reader, which is bounded by the window of its stream,
 * and all of them by {@link ScanOptions#processWindowBytes}.
 *
 * <p>The root is our own and not that of Spark's {@code ArrowUtils}: that is internal to Spark, and
 * with our own, the memory of streams can be told from that of Python workers.
 */
public final class ProcessResources {
  /** Of all streams, whatever their channels. */
  private static final WindowBudget WINDOWS = new WindowBudget();

  /** By window size, because a channel has one flow-control window; in practice one entry. */
  private static final Map<Long, NodeChannels> CHANNELS = new ConcurrentHashMap<>();

  private static final TroubledNodes TROUBLED_NODES = new TroubledNodes(System::nanoTime);

  private static final class Memory {
    static final BufferAllocator ROOT = new RootAllocator(Long.MAX_VALUE);
  }

  private ProcessResources() {}

  /** The connections of this JVM for streams with that window. Not to be closed. */
  public static NodeChannels channels(long windowBytes) {
    return CHANNELS.computeIfAbsent(windowBytes, bytes -> new NodeChannels(bytes, WINDOWS));
  }

  /** How nodes fared that this JVM has asked. */
  static TroubledNodes troubledNodes() {
    return TROUBLED_NODES;
  }

  /** Parent of the allocators of readers. Not to be closed. */
  static BufferAllocator allocator() {
    return Memory.ROOT;
  }
}
