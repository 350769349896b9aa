package io.tally.server.grpc;

import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.tally.rpc.Features;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.arrow.ScanMethod;
import io.tally.rpc.v1.PartitionServiceGrpc;
import io.tally.rpc.v1.ScanRequest;
import io.tally.server.scan.ScanFeatures;
import io.tally.server.table.TableCatalog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * A running node: listens on one address and serves a catalog's tables, health and reflection. Safe
 * for any thread.
 */
public final class NodeServer implements AutoCloseable {
  /** A hundred thousand literals, and then some. */
  private static final int MAX_REQUEST_BYTES = 64 << 20;

  /** Requests are small, but for an IN with very many literals. */
  private static final int REQUEST_WINDOW_BYTES = 1 << 20;

  /** Clients may ping this often without being taken for an attack. */
  private static final long PERMITTED_PING_SECONDS = 10;

  /** Time for cancelled scans, and then for connections, to end. */
  private static final long END_MILLIS = 5_000;

  private final NodeSettings settings;
  private final Server server;
  private final ScanService scans;
  private final HealthStatusManager health;
  private final BufferAllocator allocator;
  private final ScheduledThreadPoolExecutor scheduler;
  private boolean stopped;

  private NodeServer(NodeSettings settings, TableCatalog catalog, ScanFeatures features) {
    this.settings = settings;
    this.allocator = new RootAllocator();
    this.scheduler =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "tally-timer");
              thread.setDaemon(true);
              return thread;
            });
    scheduler.setRemoveOnCancelPolicy(true);
    ScanFeatures offered =
        settings.resumeGraceMillis() > 0 ? features : features.without(List.of(Features.RESUME));
    this.scans = new ScanService(settings, catalog, offered, allocator, scheduler);
    this.health = new HealthStatusManager();
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(
                new InetSocketAddress(settings.host(), settings.port()),
                InsecureServerCredentials.create())
            .addService(partitionService(settings, catalog, offered))
            .addStreamTracerFactory(TransportEnd.factory())
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .maxInboundMessageSize(MAX_REQUEST_BYTES)
            .flowControlWindow(REQUEST_WINDOW_BYTES)
            .permitKeepAliveTime(PERMITTED_PING_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true);
    limitConnections(builder, settings.connections());
    this.server = builder.build();
  }

  /** A client that is gone without a word is found out; its scans then wait for it, or end. */
  private static void limitConnections(
      NettyServerBuilder builder, NodeSettings.Connections connections) {
    builder
        .keepAliveTime(connections.pingMillis(), TimeUnit.MILLISECONDS)
        .keepAliveTimeout(connections.pingTimeoutMillis(), TimeUnit.MILLISECONDS);
    if (connections.maxAgeMillis() > 0) {
      builder
          .maxConnectionAge(connections.maxAgeMillis(), TimeUnit.MILLISECONDS)
          .maxConnectionAgeGrace(connections.maxAgeGraceMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * A server that listens. The catalog stays the caller's, who closes it after {@link #stop}.
   *
   * @throws IOException if the address cannot be listened on
   */
  public static NodeServer start(NodeSettings settings, TableCatalog catalog) throws IOException {
    return start(settings, catalog, ScanFeatures.ALL);
  }

  /**
   * As {@link #start(NodeSettings, TableCatalog)}, but like a release that knows only these
   * features.
   */
  public static NodeServer start(NodeSettings settings, TableCatalog catalog, ScanFeatures features)
      throws IOException {
    NodeServer node = new NodeServer(settings, catalog, features);
    try {
      node.server.start();
    } catch (IOException | RuntimeException e) {
      node.stop(0);
      throw e;
    }
    node.health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
    node.health.setStatus(PartitionServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
    return node;
  }

  /** The port that it listens on. */
  public int port() {
    return server.getPort();
  }

  /** What it is busy with. */
  public NodeStats stats() {
    return new NodeStats(
        scans.openScans(),
        scans.admission().running(),
        scans.admission().queued(),
        allocator.getAllocatedMemory(),
        scans.sendWindows().takenBytes(),
        scans.sent().batches(),
        scans.sent().bodyBytes());
  }

  /**
   * Stops: health says NOT_SERVING and new scans are refused at once, running ones have {@code
   * graceMillis} to end, and are cancelled then. Returns when all is closed; a second call does
   * nothing.
   *
   * @throws IllegalStateException if a scan still holds memory when all else is closed
   */
  public void stop(long graceMillis) {
    synchronized (this) {
      if (stopped) {
        return;
      }
      stopped = true;
    }
    health.enterTerminalState();
    scans.admission().stop();
    boolean idle = false;
    try {
      idle = scans.admission().awaitIdle(graceMillis);
      // Also those that have run and wait for their clients' last word.
      scans.stopSessions();
      if (!idle) {
        idle = scans.admission().awaitIdle(END_MILLIS);
      }
      server.shutdown();
      if (!server.awaitTermination(Math.min(graceMillis, END_MILLIS), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
        server.awaitTermination(END_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    scans.admission().close();
    scheduler.shutdown();
    try {
      allocator.close();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          "Node \"%s\" stopped with scans that hold memory".formatted(settings.nodeId()), e);
    }
  }

  /** Stops at once. */
  @Override
  public void close() {
    stop(0);
  }

  /** Waits until {@link #stop} has closed the last connection. */
  public void awaitTermination() throws InterruptedException {
    server.awaitTermination();
  }

  /** The generated service with the frames of {@link ScanMethod} in place of generated messages. */
  private ServerServiceDefinition partitionService(
      NodeSettings settings, TableCatalog catalog, ScanFeatures features) {
    ServerServiceDefinition generated =
        new DescribeService(settings, catalog, features).bindService();
    MethodDescriptor<ScanRequest, ScanFrame> frames = ScanMethod.descriptor(allocator);
    MethodDescriptor<ReceivedRequest, ScanFrame> scan =
        frames.toBuilder(
                new ReceivedRequest.Marshaller(settings.expressionDepth()),
                frames.getResponseMarshaller())
            .build();
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(PartitionServiceGrpc.SERVICE_NAME)
            .setSchemaDescriptor(generated.getServiceDescriptor().getSchemaDescriptor())
            .addMethod(scan);
    var described =
        generated.getMethods().stream()
            .filter(method -> !isScan(method.getMethodDescriptor()))
            .toList();
    described.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder definition =
        ServerServiceDefinition.builder(descriptor.build()).addMethod(scan, scans);
    described.forEach(definition::addMethod);
    return definition.build();
  }

  private static boolean isScan(MethodDescriptor<?, ?> method) {
    return method
        .getFullMethodName()
        .equals(PartitionServiceGrpc.getScanMethod().getFullMethodName());
  }
}
