package io.tally.rpc.client;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tally.rpc.TallyException;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.arrow.Batches;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.DescribeNodeRequest;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableRequest;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Next;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Opened;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.Progress;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A node that follows a script: it speaks the protocol through the generated classes and Arrow's
 * own writer, well or badly as the script says. Everything in it that waits gives up after ten
 * seconds.
 */
final class ScriptedNode extends PartitionServiceGrpc.PartitionServiceImplBase
    implements AutoCloseable {
  static final long TIMEOUT_MILLIS = 10_000;

  /** What the node does once a scan was opened; runs on a thread of its own. */
  interface Script {
    void run(Scan scan) throws Exception;
  }

  private final Server server;
  private final Script script;
  private final DescribeNodeResponse description;
  private final List<DescribeTableResponse> tables;
  private final ExecutorService scripts = Executors.newCachedThreadPool();
  private final CompletableFuture<Scan> scan = new CompletableFuture<>();
  private final CompletableFuture<Void> scriptDone = new CompletableFuture<>();

  private ScriptedNode(
      ServerBuilder<?> builder,
      Script script,
      DescribeNodeResponse description,
      List<DescribeTableResponse> tables) {
    this.script = script;
    this.description = description;
    this.tables = tables;
    try {
      this.server = builder.addService(this).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ScriptedNode onLoopback(Script script) {
    return onLoopback(0, script, DescribeNodeResponse.getDefaultInstance(), List.of());
  }

  static ScriptedNode onLoopback(
      int port, Script script, DescribeNodeResponse node, List<DescribeTableResponse> tables) {
    return at(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), script, node, tables);
  }

  static ScriptedNode at(
      InetSocketAddress address,
      Script script,
      DescribeNodeResponse node,
      List<DescribeTableResponse> tables) {
    return new ScriptedNode(NettyServerBuilder.forAddress(address), script, node, tables);
  }

  static ScriptedNode inProcess(String name, Script script) {
    return new ScriptedNode(
        InProcessServerBuilder.forName(name),
        script,
        DescribeNodeResponse.getDefaultInstance(),
        List.of());
  }

  NodeAddress address() {
    return new NodeAddress(InetAddress.getLoopbackAddress().getHostAddress(), server.getPort());
  }

  /** The scan that was opened. */
  Scan scan() throws Exception {
    return scan.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Waits for the script, and throws what it threw. */
  void awaitScript() throws Exception {
    scriptDone.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** As if the process died. */
  void kill() {
    server.shutdownNow();
  }

  @Override
  public void close() {
    server.shutdownNow();
    scripts.shutdownNow();
    try {
      if (!server.awaitTermination(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
          || !scripts.awaitTermination(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("the node does not stop");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void describeNode(
      DescribeNodeRequest request, StreamObserver<DescribeNodeResponse> observer) {
    observer.onNext(description);
    observer.onCompleted();
  }

  @Override
  public void describeTable(
      DescribeTableRequest request, StreamObserver<DescribeTableResponse> observer) {
    for (DescribeTableResponse table : tables) {
      if (table.getTable().equals(request.getTable())) {
        observer.onNext(table);
        observer.onCompleted();
        return;
      }
    }
    observer.onError(
        TallyStatus.exception(
            new TallyException(
                ErrorCode.TABLE_NOT_FOUND,
                "There is no table \"%s\" on node \"%s\"; did you mean \"flights\"?"
                    .formatted(request.getTable(), description.getNodeId()))));
  }

  @Override
  public StreamObserver<ScanRequest> scan(StreamObserver<ScanResponse> responses) {
    Scan started = new Scan((ServerCallStreamObserver<ScanResponse>) responses);
    return started;
  }

  /** One scan, seen from the node. */
  final class Scan implements StreamObserver<ScanRequest> {
    private final ServerCallStreamObserver<ScanResponse> responses;
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final CountDownLatch halfClosed = new CountDownLatch(1);
    private final List<Next> nexts = new ArrayList<>();
    private Open open = Open.getDefaultInstance();
    private long granted;
    private long sentBatches;
    private long sentRows;
    private long sentBytes;

    private Scan(ServerCallStreamObserver<ScanResponse> responses) {
      this.responses = responses;
      responses.setOnCancelHandler(cancelled::countDown);
    }

    @Override
    public void onNext(ScanRequest request) {
      synchronized (this) {
        if (request.hasNext()) {
          nexts.add(request.getNext());
          granted += request.getNext().getCredits();
          notifyAll();
          return;
        }
        open = request.getOpen();
      }
      scan.complete(this);
      scripts.execute(
          () -> {
            try {
              script.run(this);
              scriptDone.complete(null);
            } catch (Throwable e) {
              scriptDone.completeExceptionally(e);
            }
          });
    }

    @Override
    public void onError(Throwable e) {
      cancelled.countDown();
    }

    @Override
    public void onCompleted() {
      halfClosed.countDown();
    }

    synchronized Open open() {
      return open;
    }

    /** Every Next so far. */
    synchronized List<Next> nexts() {
      return List.copyOf(nexts);
    }

    /** Waits until the client has granted {@code batches} in all. */
    synchronized void awaitGranted(long batches) throws Exception {
      long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
      while (granted < batches) {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
          throw new TimeoutException(granted + " credits came, not " + batches);
        }
        wait(millis);
      }
    }

    boolean awaitCancelled(long millis) throws InterruptedException {
      return cancelled.await(millis, TimeUnit.MILLISECONDS);
    }

    void awaitCancelled() throws Exception {
      if (!awaitCancelled(TIMEOUT_MILLIS)) {
        throw new TimeoutException("the client does not cancel");
      }
    }

    /** Waits until the client has closed its side. */
    void awaitHalfClosed() throws Exception {
      if (!halfClosed.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new TimeoutException("the client does not close its side");
      }
    }

    void send(ScanResponse response) {
      responses.onNext(response);
    }

    void opened(Schema schema) {
      opened(schema, Applied.newBuilder().setPredicate(true).build());
    }

    void opened(Schema schema, Applied applied) {
      send(
          ScanResponse.newBuilder()
              .setOpened(
                  Opened.newBuilder()
                      .setArrowSchema(ipc(schema))
                      .setNodeId("scripted")
                      .setApplied(applied))
              .build());
    }

    /** Counts batches like this one as sent, on calls before. */
    void skip(VectorSchemaRoot root, long batches) {
      sentBatches += batches;
      sentRows += batches * root.getRowCount();
      sentBytes += batches * Batches.response(root, 0).getBody().size();
      synchronized (this) {
        granted += batches;
      }
    }

    /** Sends the next batch once there is a credit for it. */
    void batch(VectorSchemaRoot root) throws Exception {
      awaitGranted(sentBatches + 1);
      batchWithoutCredit(root);
    }

    /** Sends the next batch if there is a credit for it already. */
    void batchIfGranted(VectorSchemaRoot root) {
      boolean mayGo;
      synchronized (this) {
        mayGo = granted > sentBatches;
      }
      if (mayGo) {
        batchWithoutCredit(root);
      } else {
        Thread.onSpinWait();
      }
    }

    void batchWithoutCredit(VectorSchemaRoot root) {
      ScanResponse response = Batches.response(root, sentBatches);
      sentBatches++;
      sentRows += root.getRowCount();
      sentBytes += response.getBody().size();
      send(response);
    }

    void progress() {
      send(ScanResponse.newBuilder().setProgress(Progress.getDefaultInstance()).build());
    }

    /** The totals of what was sent. */
    End totals() {
      return End.newBuilder()
          .setBatches(sentBatches)
          .setRows(sentRows)
          .setBodyBytes(sentBytes)
          .setRowsScanned(sentRows)
          .build();
    }

    void end(End end) {
      send(ScanResponse.newBuilder().setEnd(end).build());
    }

    void complete() {
      responses.onCompleted();
    }

    /** As if the connection broke behind what was sent. */
    void breakOff() {
      responses.onError(Status.UNAVAILABLE.asRuntimeException());
    }

    /** As a server whose handler throws. */
    void failWithoutReason() {
      responses.onError(new IllegalArgumentException("a bug"));
    }

    void fail(TallyException error) {
      responses.onError(TallyStatus.exception(error));
    }
  }

  static ByteString ipc(Schema schema) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), schema);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteString.copyFrom(bytes.toByteArray());
  }
}
