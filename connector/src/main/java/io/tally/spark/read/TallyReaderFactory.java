package io.tally.spark.read;

import com.google.protobuf.CodedInputStream;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Takes a task's partition on an executor and opens the reader for it. */
record TallyReaderFactory(ReadShape shape, ScanOptions limits) implements PartitionReaderFactory {
  /** Enough for any predicate that is pushed: each level of it is two messages. */
  private static final int MAX_MESSAGE_DEPTH = 600;

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("Tally reads columnar batches only.");
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    if (partition instanceof KeyedNodeScan keyed) {
      return createColumnarReader(keyed.scan());
    }
    if (partition instanceof NodeScan scan) {
      TaskContext task = TaskContext.get();
      NodeClient node = ProcessResources.channels(limits.windowBytes()).node(scan.address());
      return TallyColumnarReader.open(
          node,
          scan.nodeId(),
          parse(scan),
          limits,
          shape,
          ProcessResources.allocator(),
          task == null ? () -> false : task::isInterrupted);
    }
    return new NeutralRowReader(shape, ProcessResources.allocator());
  }

  private static Open parse(NodeScan scan) {
    try {
      // Ours, and checked while planning: deeper than what Protobuf accepts from strangers.
      CodedInputStream bytes = scan.open().newCodedInput();
      bytes.setRecursionLimit(MAX_MESSAGE_DEPTH);
      return Open.parseFrom(bytes);
    } catch (IOException e) {
      throw new TallyException(
          ErrorCode.INTERNAL,
          "The task for node \"" + scan.nodeId() + "\" arrived damaged on the executor.",
          e);
    }
  }
}
