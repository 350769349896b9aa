package io.tally.tests.faults;

import io.tally.rpc.TallyException;
import io.tally.rpc.client.NodeAddress;
import io.tally.rpc.client.NodeChannels;
import io.tally.rpc.client.ReconnectPolicy;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.client.ScanStream;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.ScanPartition;
import io.tally.server.fixture.LinkProxy;
import io.tally.tests.TallyNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Runs schedules with the client of the wire, which asks one node. */
final class ScanAsker implements Asker {
  private static final int MAX_ROW_BYTES = 1 << 20;
  private static final long BACKOFF_MILLIS = 1;
  private static final long MAX_BACKOFF_MILLIS = 40;
  private static final long DESCRIBE_MILLIS = 30_000;

  private final World world;
  private final Totals totals;
  private final String layoutVersion;

  ScanAsker(World world, Totals totals) {
    this.world = world;
    this.totals = totals;
    TallyNode node = world.nodes().get(0);
    try (NodeChannels channels = new NodeChannels(0)) {
      layoutVersion =
          channels
              .node(new NodeAddress("127.0.0.1", node.port()))
              .describeTable(World.SHARED, DESCRIBE_MILLIS)
              .getLayoutVersion();
    }
  }

  @Override
  public List<String> answer(Schedule schedule) throws Exception {
    // Where the answer is due, the node has to wait for its client.
    int index = schedule.mayEndWith().isEmpty() ? 0 : 1;
    TallyNode node = world.nodes().get(index);
    TallyNode other = world.nodes().get(1 - index);
    // The allocator is last: it fails if anything of a stream is left.
    try (BufferAllocator allocator = new RootAllocator();
        Troubles troubles = new Troubles(node, other)) {
      troubles.expect(schedule.faults());
      try {
        return read(schedule, troubles, allocator);
      } finally {
        troubles.end();
      }
    }
  }

  private List<String> read(Schedule schedule, Troubles troubles, BufferAllocator allocator) {
    try (NodeChannels channels = new NodeChannels(0);
        ScanStream stream = scan(schedule, channels, troubles.link(), allocator)) {
      try {
        return read(schedule, troubles, stream);
      } finally {
        totals.addReconnects(stream.received().reconnects());
      }
    }
  }

  private static List<String> read(Schedule schedule, Troubles troubles, ScanStream stream) {
    List<String> rows = new ArrayList<>();
    // Who closes a stream takes its batch away, so not while it is read.
    AtomicBoolean closed = new AtomicBoolean();
    Consumer<Fault.Stroke> close =
        stroke -> {
          synchronized (closed) {
            closed.set(true);
            stream.close();
          }
        };
    int batches = 0;
    troubles.atMoment(schedule.faults(), batches, close);
    while (stream.next()) {
      synchronized (closed) {
        if (!closed.get()) {
          addRows(stream.batch(), rows);
        }
      }
      batches++;
      troubles.atMoment(schedule.faults(), batches, close);
    }
    if (stream.totals().getRows() != rows.size()) {
      throw new AssertionError(rows.size() + " rows, but " + stream.totals());
    }
    return rows;
  }

  private ScanStream scan(
      Schedule schedule, NodeChannels channels, LinkProxy link, BufferAllocator allocator) {
    Open.Builder open =
        Open.newBuilder().setTable(World.SHARED).setLayoutVersion(layoutVersion).setResumeAfter(0);
    for (int i = 0; i < World.PARTITIONS; i++) {
      open.addPartitions(ScanPartition.newBuilder().setId("p" + i));
    }
    schedule.query().ask(open);
    ScanOptions options =
        new ScanOptions(
            schedule.maxBatchBytes(),
            (long) schedule.batches() * schedule.maxBatchBytes(),
            MAX_ROW_BYTES,
            schedule.silenceMillis(),
            new ReconnectPolicy(schedule.tries(), BACKOFF_MILLIS, MAX_BACKOFF_MILLIS));
    return channels
        .node(new NodeAddress("127.0.0.1", link.port()))
        .scan(open.build(), options, allocator);
  }

  private static void addRows(VectorSchemaRoot batch, List<String> rows) {
    for (int i = 0; i < batch.getRowCount(); i++) {
      List<String> cells = new ArrayList<>();
      for (FieldVector vector : batch.getFieldVectors()) {
        cells.add(String.valueOf(vector.getObject(i)));
      }
      rows.add(String.join("|", cells));
    }
  }

  @Override
  public boolean mayFailLike(Throwable error, Schedule schedule) {
    return error instanceof TallyException typed && schedule.mayEndWith().contains(typed.code());
  }

  @Override
  public void awaitNothingLeft() {
    world.awaitIdle();
  }

  @Override
  public void close() {}
}
