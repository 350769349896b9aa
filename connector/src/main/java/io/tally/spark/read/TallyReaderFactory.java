package io.tally.spark.read;

import com.google.protobuf.CodedInputStream;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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
      return open(scan);
    }
    return new NeutralRowReader(shape, ProcessResources.allocator());
  }

  private TallyColumnarReader open(NodeScan scan) {
    Open open = parse(scan);
    TaskContext task = TaskContext.get();
    NodeChannels channels = ProcessResources.channels(limits.windowBytes());
    TroubledNodes troubled = ProcessResources.troubledNodes();
    Set<StreamOwner> avoided =
        scan.owners().stream()
            .filter(owner -> troubled.isTroubled(owner.address()))
            .collect(Collectors.toSet());
    List<StreamOwner> owners = owners(scan, task == null ? 0 : task.attemptNumber());
    return TallyColumnarReader.open(
        open,
        new OwnerChoice(owners, avoided, shape.isDivisible(open)),
        limits,
        shape,
        new TallyColumnarReader.Resources(
            owner -> channels.node(owner.address()),
            troubled,
            ProcessResources.allocator(),
            task == null ? () -> false : task::isInterrupted));
  }

  /** Each attempt begins with another owner: one may fail again and again behind its first rows. */
  private static List<StreamOwner> owners(NodeScan scan, int attempt) {
    List<StreamOwner> owners = new ArrayList<>(scan.owners());
    Collections.rotate(owners, -attempt);
    return owners;
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
