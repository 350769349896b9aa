package io.tally.server.grpc;

import io.grpc.stub.StreamObserver;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.v1.DescribeNodeRequest;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableRequest;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.Partition;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.ProtocolVersion;
import io.tally.rpc.v1.UnreadableColumn;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.table.ServedColumn;
import io.tally.server.table.ServedPartition;
import io.tally.server.table.ServedTable;
import io.tally.server.table.TableCatalog;
import io.tally.server.table.UnservedColumn;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.vector.types.pojo.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what the node is and what it owns, from what it knows without touching data. */
final class DescribeService extends PartitionServiceGrpc.PartitionServiceImplBase {
  private static final Logger log = LoggerFactory.getLogger(DescribeService.class);

  private final NodeSettings settings;
  private final TableCatalog catalog;
  private final ScanFeatures features;

  DescribeService(NodeSettings settings, TableCatalog catalog, ScanFeatures features) {
    this.settings = settings;
    this.catalog = catalog;
    this.features = features;
  }

  @Override
  public void describeNode(
      DescribeNodeRequest request, StreamObserver<DescribeNodeResponse> answer) {
    answer(answer, "DescribeNode", this::node);
  }

  @Override
  public void describeTable(
      DescribeTableRequest request, StreamObserver<DescribeTableResponse> answer) {
    answer(answer, "DescribeTable", () -> table(catalog.table(request.getTable())));
  }

  private DescribeNodeResponse node() {
    String version = DescribeService.class.getPackage().getImplementationVersion();
    return DescribeNodeResponse.newBuilder()
        .setNodeId(settings.nodeId())
        .setSoftwareVersion("tally " + Optional.ofNullable(version).orElse("development"))
        .setProtocolVersion(ProtocolVersion.PROTOCOL_VERSION_1)
        .addAllFeatures(features.names())
        .setMaxWindowBytes(settings.windowBytes())
        .setMaxExpressionNodes(settings.expressionNodes())
        .build();
  }

  private static DescribeTableResponse table(ServedTable table) {
    DescribeTableResponse.Builder answer =
        DescribeTableResponse.newBuilder()
            .setTable(table.name())
            .setArrowSchema(
                ArrowSchemas.encode(
                    new Schema(table.columns().stream().map(ServedColumn::field).toList())))
            .setLayoutVersion(table.layoutVersion())
            .addAllClusterPartitions(table.clusterPartitions());
    for (UnservedColumn column : table.unservedColumns()) {
      answer.addUnreadableColumns(
          UnreadableColumn.newBuilder()
              .setName(column.name())
              .setNativeType(column.nativeType())
              .setReason(column.reason()));
    }
    for (ServedPartition partition : table.partitions()) {
      answer.addPartitions(
          Partition.newBuilder()
              .setId(partition.id())
              .setFingerprint(partition.fingerprint())
              .setRows(partition.rows())
              .setStoredBytes(partition.storedBytes())
              .setSplittable(partition.splittable())
              .addAllBounds(partition.bounds())
              .addAllPartitioningColumns(partition.partitioningColumns()));
    }
    return answer.build();
  }

  private <T> void answer(StreamObserver<T> observer, String what, Supplier<T> answer) {
    T message;
    try {
      message = answer.get();
    } catch (RuntimeException e) {
      var error = Errors.typed(settings.nodeId(), what, e);
      log.info("{} failed: {}, {}", what, error.code(), error.getMessage(), error.getCause());
      observer.onError(TallyStatus.exception(Errors.sendable(error)));
      return;
    }
    observer.onNext(message);
    observer.onCompleted();
  }
}
