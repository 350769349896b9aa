package io.tally.server.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.ArrowSchemas;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.Opened;
import io.tally.rpc.v1.Progress;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import io.tally.server.scan.Scan;
import io.tally.server.scan.ScanPlan;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of Scan. gRPC's threads bring the client's messages, which become a plan and credits; a
 * thread of the admission runs the scan and sends a batch for every credit.
 *
 * <p>The call is closed once, by whichever thread first finds a reason; that ends the scan, and its
 * thread then releases what it held.
 */
final class ScanCall extends ServerCall.Listener<ReceivedRequest> {
  private static final Logger log = LoggerFactory.getLogger(ScanCall.class);

  /** A client that asks for more frequent signs of life gets this. */
  private static final long MIN_PROGRESS_MILLIS = 10;

  private final ServerCall<ReceivedRequest, ScanFrame> call;
  private final ScanService service;
  private final CreditWindow window;
  private final long startedNanos = System.nanoTime();

  /** Guards what is said on the call, which is not safe for concurrent use. */
  private final Object sending = new Object();

  private volatile Open open = Open.getDefaultInstance();
  private volatile ScanAdmission.Ticket ticket;
  private volatile Scan scan;
  private boolean started;
  private boolean closed;
  private long lastSentNanos;
  private TallyException failure;

  ScanCall(ServerCall<ReceivedRequest, ScanFrame> call, ScanService service) {
    this.call = call;
    this.service = service;
    this.window = new CreditWindow(call::isReady);
    call.setOnReadyThreshold((int) Math.min(Integer.MAX_VALUE, service.settings().windowBytes()));
    call.request(1);
  }

  // ---- gRPC's threads, one at a time

  @Override
  public void onMessage(ReceivedRequest received) {
    try {
      if (received instanceof ReceivedRequest.Parsed parsed) {
        accept(parsed.request());
      } else if (received instanceof ReceivedRequest.Unreadable unreadable) {
        throw unreadable.error();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
    call.request(1);
  }

  @Override
  public void onHalfClose() {
    if (ticket == null) {
      fail(invalid("The client closed its side before it sent Open."));
    }
    window.noMore();
  }

  @Override
  public void onReady() {
    window.signal();
  }

  @Override
  public void onCancel() {
    fail(new TallyException(ErrorCode.CANCELLED, "The client cancelled the scan or is gone."));
  }

  private void accept(ScanRequest request) {
    switch (request.getEventCase()) {
      case OPEN -> {
        if (ticket != null) {
          throw invalid("Open was sent twice.");
        }
        open(request.getOpen());
      }
      case NEXT -> {
        if (ticket == null) {
          throw invalid("Next was sent before Open.");
        }
        window.grant(request.getNext());
      }
      case EVENT_NOT_SET ->
          throw new TallyException(
              ErrorCode.UNSUPPORTED_FEATURE,
              "A message of the scan holds no event, or one that this node does not know.");
    }
  }

  private void open(Open request) {
    open = request;
    long windowBytes = service.settings().windowBytes();
    if (request.getMaxBatchBytes() > windowBytes) {
      throw invalid(
          "max_batch_bytes is %d, more than the window of %d bytes that this node grants."
              .formatted(request.getMaxBatchBytes(), windowBytes));
    }
    ScanPlan plan = service.plan(request);
    ticket = service.admission().submit(() -> run(plan), this::fail);
  }

  // ---- the scan's own thread

  private void run(ScanPlan plan) {
    if (!start()) {
      return;
    }
    service.running().add(this);
    End sent = End.getDefaultInstance();
    try (Scan running = service.prepare(plan)) {
      scan = running;
      stopIfClosed(running);
      sendOpened(plan);
      Optional<ProgressTimer> progress = startProgress();
      try {
        sendBatches(running);
      } finally {
        progress.ifPresent(ProgressTimer::close);
        sent = running.end();
      }
      complete(sent);
    } catch (Exception | Error e) {
      fail(e);
    } finally {
      scan = null;
      service.running().remove(this);
      log(plan.partitions(), sent);
    }
  }

  private void sendBatches(Scan running) throws InterruptedException {
    Optional<ScanFrame> frame = running.next();
    while (frame.isPresent() && sendBatch(frame.get())) {
      frame = running.next();
    }
  }

  /** Sends a frame once there is a credit; false if the call is closed. Owns the frame. */
  private boolean sendBatch(ScanFrame frame) throws InterruptedException {
    boolean sent = false;
    try {
      sent = window.take() && send(frame);
      return sent;
    } finally {
      if (sent) {
        service.sentBatches().increment();
      } else {
        frame.close();
      }
    }
  }

  private void sendOpened(ScanPlan plan) {
    Opened opened =
        Opened.newBuilder()
            .setArrowSchema(ArrowSchemas.encode(plan.schema()))
            .setApplied(plan.applied())
            .setNodeId(service.settings().nodeId())
            .build();
    synchronized (sending) {
      if (!closed) {
        call.sendHeaders(new Metadata());
        send(ScanFrame.of(ScanResponse.newBuilder().setOpened(opened).build()));
      }
    }
  }

  private void complete(End end) {
    synchronized (sending) {
      if (send(ScanFrame.of(ScanResponse.newBuilder().setEnd(end).build()))) {
        closed = true;
        call.close(Status.OK, new Metadata());
      }
    }
  }

  private Optional<ProgressTimer> startProgress() {
    long intervalMillis = open.getProgressIntervalMillis();
    if (intervalMillis == 0) {
      return Optional.empty();
    }
    return Optional.of(
        ProgressTimer.start(
            service.scheduler(),
            TimeUnit.MILLISECONDS.toNanos(Math.max(MIN_PROGRESS_MILLIS, intervalMillis)),
            this::nanosSinceSent,
            this::sendProgress));
  }

  // ---- any thread

  /** Closes the call with an error, unless it is closed, and stops the scan. */
  void fail(Throwable error) {
    TallyException typed =
        Errors.typed(
            service.settings().nodeId(), "Scan " + ShownText.name(open.getScanId()), error);
    boolean neverRan;
    synchronized (sending) {
      if (closed) {
        return;
      }
      closed = true;
      failure = typed;
      neverRan = !started;
      if (!call.isCancelled()) {
        Errors.close(call, typed);
      }
    }
    window.end();
    ScanAdmission.Ticket place = ticket;
    if (place != null) {
      place.leaveQueue();
    }
    Scan running = scan;
    if (running != null) {
      running.cancel();
    }
    if (neverRan) {
      log("not scanned", End.getDefaultInstance());
    }
  }

  private boolean start() {
    synchronized (sending) {
      started = !closed;
      return started;
    }
  }

  private void stopIfClosed(Scan running) {
    synchronized (sending) {
      if (closed) {
        running.cancel();
      }
    }
  }

  private boolean send(ScanFrame frame) {
    synchronized (sending) {
      if (closed) {
        return false;
      }
      call.sendMessage(frame);
      lastSentNanos = System.nanoTime();
      return true;
    }
  }

  private void sendProgress() {
    if (window.clientWaits()) {
      send(
          ScanFrame.of(
              ScanResponse.newBuilder().setProgress(Progress.getDefaultInstance()).build()));
    }
  }

  private long nanosSinceSent() {
    synchronized (sending) {
      return System.nanoTime() - lastSentNanos;
    }
  }

  private void log(String partitions, End sent) {
    TallyException error;
    synchronized (sending) {
      error = failure;
    }
    if (open.equals(Open.getDefaultInstance())) {
      log.info("a scan ended before its client sent Open: {}", describe(error));
      return;
    }
    log.info(
        "scan {} table \"{}\" partitions {} rows_scanned {} rows {} batches {} bytes {} millis {}: {}",
        ShownText.name(open.getScanId()),
        ShownText.name(open.getTable()),
        partitions,
        sent.getRowsScanned(),
        sent.getRows(),
        sent.getBatches(),
        sent.getBodyBytes(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos),
        describe(error));
    if (error != null && error.code() == ErrorCode.INTERNAL) {
      log.error("scan {} met a fault of this node", ShownText.name(open.getScanId()), error);
    }
  }

  private static String describe(TallyException error) {
    return error == null ? "OK" : error.code() + ", " + error.getMessage();
  }

  private static TallyException invalid(String message) {
    return new TallyException(ErrorCode.INVALID_REQUEST, message);
  }
}
