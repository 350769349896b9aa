package io.tally.spark.read;

/** Lets tests outside look at the Arrow memory that the connector holds in this JVM. */
public final class ConnectorMemory {
  private ConnectorMemory() {}

  /** Bytes of all streams that are open. */
  public static long allocatedBytes() {
    return ProcessResources.allocator().getAllocatedMemory();
  }
}
