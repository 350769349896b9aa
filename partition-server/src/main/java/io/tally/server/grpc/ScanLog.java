package io.tally.server.grpc;

import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the one line for each scan that has ended. */
final class ScanLog {
  private static final Logger log = LoggerFactory.getLogger(ScanLog.class);

  private ScanLog() {}

  /** A scan has ended, or was refused. */
  static void ended(
      Open open,
      String partitions,
      End totals,
      long startedNanos,
      Optional<TallyException> failure) {
    if (open.equals(Open.getDefaultInstance())) {
      log.info("a scan ended before its client sent Open: {}", describe(failure));
      return;
    }
    log.info(
        "scan {} table \"{}\" partitions {} rows_scanned {} rows {} batches {} bytes {} millis {}: {}",
        ShownText.name(open.getScanId()),
        ShownText.name(open.getTable()),
        partitions,
        totals.getRowsScanned(),
        totals.getRows(),
        totals.getBatches(),
        totals.getBodyBytes(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos),
        describe(failure));
    if (failure.isPresent() && failure.get().code() == ErrorCode.INTERNAL) {
      log.error(
          "scan {} met a fault of this node", ShownText.name(open.getScanId()), failure.get());
    }
  }

  static String describe(Optional<TallyException> failure) {
    return failure.map(error -> error.code() + ", " + error.getMessage()).orElse("OK");
  }
}
