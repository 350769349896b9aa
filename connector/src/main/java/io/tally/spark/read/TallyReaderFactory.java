package io.tally.spark.read;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeClient;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Takes a task's partition on an executor and opens the reader for it. */
record TallyReaderFactory(ReadShape shape, ScanOptions limits) implements PartitionReaderFactory {

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
      return Open.parseFrom(scan.open());
    } catch (InvalidProtocolBufferException e) {
      throw new TallyException(
          ErrorCode.INTERNAL,
          "The task for node \"" + scan.nodeId() + "\" arrived damaged on the executor.",
          e);
    }
  }
}
