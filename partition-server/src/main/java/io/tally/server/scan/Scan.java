package io.tally.server.scan;

import io.tally.rpc.TallyException;
import io.tally.rpc.WindowBudget;
import io.tally.rpc.WireTypes;
import io.tally.rpc.arrow.RecordBatchEncoder;
import io.tally.rpc.arrow.ScanFrame;
import io.tally.rpc.v1.End;
import io.tally.rpc.v1.ErrorCode;
import io.tally.server.table.TableCatalog;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBResultSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the statement of a {@link ScanPlan} on a connection of its own and hands on its rows as
 * batch frames. One thread calls everything but {@link #cancel}, which any thread may call.
 *
 * <p>Frames may outlive the scan, but not the allocator that was given. Every method but cancel and
 * close throws {@link TallyException}.
 */
public final class Scan implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Scan.class);

  /** Rows of a batch without columns. */
  private static final long MAX_COLUMNLESS_ROWS = 1 << 20;

  /** Chunks to wait for until an error that was lost shows up again. */
  private static final int DIAGNOSED_CHUNKS = 1000;

  /** How much smaller chunks become where the first one could not be exported. */
  private static final int FEWER_CHUNK_ROWS = 256;

  private static final long INTERRUPT_MILLIS = 20;

  private final ScanPlan plan;
  private final long maxBatchBytes;
  private final BufferAllocator allocator;
  private final ScheduledExecutorService scheduler;
  private final DuckDBConnection connection;
  private volatile DuckDBPreparedStatement statement;

  /** What is carried out: the plan's statement, unless grouping was given up. */
  private Sql sql;

  private Sql prepared;
  private boolean looked;
  private ResultSet result;
  private ArrowReader reader;
  private BatchCutter cutter;
  private int chunkRows;
  private long columnlessRows = -1;

  private long batches;
  private long rows;
  private long bodyBytes;

  private volatile boolean cancelled;
  private volatile boolean closed;
  private Future<?> interrupts;

  private Scan(
      ScanPlan plan,
      long maxBatchBytes,
      DuckDBConnection connection,
      BufferAllocator allocator,
      ScheduledExecutorService scheduler) {
    this.plan = plan;
    this.maxBatchBytes = maxBatchBytes;
    this.sql = plan.sql;
    this.connection = connection;
    this.allocator = allocator;
    this.scheduler = scheduler;
    this.chunkRows = ChunkRows.of(plan.schema().getFields(), maxBatchBytes, plan.storedBytesPerRow);
  }

  /**
   * A scan whose statement is prepared; it runs at the first call of {@link #next}.
   *
   * @param shareBytes what batches on their way may take; they are so small that several fit
   * @param allocator outlives all frames
   * @param scheduler runs the interrupts of a cancelled scan
   */
  public static Scan prepare(
      ScanPlan plan,
      long shareBytes,
      TableCatalog catalog,
      BufferAllocator allocator,
      ScheduledExecutorService scheduler) {
    plan.table.checkUnchanged();
    long maxBatchBytes = WindowBudget.batchBytes(plan.maxBatchBytes, shareBytes);
    Scan scan;
    try {
      scan = new Scan(plan, maxBatchBytes, catalog.connect(), allocator, scheduler);
    } catch (SQLException e) {
      throw EngineFailure.unexpected(plan, e);
    }
    try {
      scan.prepareStatement(scan.sql);
      return scan;
    } catch (SQLException e) {
      TallyException error = scan.failure(e, EngineFailure.of(e));
      scan.close();
      throw error;
    } catch (RuntimeException | Error e) {
      scan.close();
      throw e;
    }
  }

  /** The plan that is carried out. */
  public ScanPlan plan() {
    return plan;
  }

  /**
   * The next batch, owned by the caller; empty at the end. Waits for the engine.
   *
   * @throws TallyException CANCELLED after {@link #cancel}; ROW_TOO_LARGE, DATA_UNREADABLE,
   *     ARITHMETIC_OVERFLOW, LAYOUT_CHANGED, INTERNAL
   */
  public Optional<ScanFrame> next() {
    requireNotCancelled();
    try {
      if (result == null) {
        execute();
      }
      Optional<ScanFrame> frame = plan.countOnly ? nextColumnless() : nextBatch();
      if (frame.isPresent()) {
        count(frame.get());
      } else {
        // A file may have been replaced after it was opened; then the batches are a mixture.
        plan.table.checkUnchanged();
      }
      return frame;
    } catch (SQLException | IOException e) {
      requireNotCancelled();
      Optional<EngineFailure> told = tell(e);
      if (told.isPresent() && canStillGiveUp(told.get())) {
        log.info("Grouping {} ran out of memory and disk; its rows are sent", plan.where());
        giveUpGrouping();
        return next();
      }
      throw failure(e, told);
    }
  }

  /** The totals of all frames handed out, once {@link #next} was empty. */
  public End end() {
    return End.newBuilder()
        .setBatches(batches)
        .setRows(rows)
        .setBodyBytes(bodyBytes)
        .setRowsScanned(plan.rowsScanned())
        .build();
  }

  /**
   * Makes {@link #next} fail soon, wherever the engine is; returns at once. The thread that runs
   * the scan still has to close it.
   */
  public void cancel() {
    synchronized (this) {
      if (cancelled || closed) {
        return;
      }
      cancelled = true;
      // The engine forgets an interrupt that arrives just before a statement starts, so it is told
      // until it has stopped.
      interrupts =
          scheduler.scheduleWithFixedDelay(
              this::interrupt, INTERRUPT_MILLIS, INTERRUPT_MILLIS, TimeUnit.MILLISECONDS);
    }
    interrupt();
  }

  /** Stops the statement if it still runs, and gives back all but the frames. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (interrupts != null) {
        interrupts.cancel(false);
      }
    }
    closeStream();
    closeQuietly(statement);
    closeQuietly(connection);
  }

  private void closeStream() {
    closeQuietly(cutter);
    closeQuietly(reader);
    closeQuietly(result);
    cutter = null;
    reader = null;
    result = null;
  }

  private void prepareStatement(Sql wanted) throws SQLException {
    closeQuietly(statement);
    prepared = wanted;
    statement = connection.prepare(wanted.text());
    List<SqlParameter> parameters = wanted.parameters();
    for (int i = 0; i < parameters.size(); i++) {
      parameters.get(i).bind(statement, i + 1);
    }
  }

  private void execute() throws SQLException, IOException {
    if (plan.rowByRow.isPresent() && !looked) {
      looked = true;
      if (groupsForEachRow(plan.rowByRow.get()) >= RowByRow.GIVE_UP_SHARE) {
        sql = plan.rowByRow.get().rows();
      }
    }
    if (prepared != sql) {
      prepareStatement(sql);
    }
    result = statement.executeQuery();
    if (plan.countOnly) {
      return;
    }
    List<Field> fields = plan.schema().getFields();
    reader =
        (ArrowReader) result.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, chunkRows);
    requireSameTypes(fields, reader.getVectorSchemaRoot().getSchema().getFields());
    cutter =
        new BatchCutter(
            reader, allocator, plan.bodyCodec, maxBatchBytes, plan.maxRowBytes, plan.where());
  }

  /** Groups for each row; 0 if no row was looked at. */
  private double groupsForEachRow(RowByRow rowByRow) throws SQLException {
    OptionalDouble known = rowByRow.shares().find(rowByRow.look());
    if (known.isPresent()) {
      return known.getAsDouble();
    }
    prepareStatement(rowByRow.look());
    try (ResultSet counts = statement.executeQuery()) {
      if (!counts.next()) {
        throw new IllegalStateException("a sum without a row");
      }
      long lookedAt = counts.getLong(1);
      double share = lookedAt == 0 ? 0 : (double) counts.getLong(2) / lookedAt;
      rowByRow.shares().remember(rowByRow.look(), share);
      return share;
    }
  }

  private void giveUpGrouping() {
    closeStream();
    sql = plan.rowByRow.orElseThrow().rows();
  }

  /**
   * Whether grouping ran out of memory and disk, nothing was handed out, and there is another way.
   */
  private boolean canStillGiveUp(EngineFailure failure) {
    return failure.isOutOfMemory() && batches == 0 && plan.rowByRow.isPresent() && sql == plan.sql;
  }

  private Optional<ScanFrame> nextBatch() throws SQLException, IOException {
    try {
      return cutter.next();
    } catch (IOException e) {
      if (batches > 0 || chunkRows == 1 || cancelled) {
        throw e;
      }
      // Perhaps the values are so long that a chunk exceeds the 2 GiB that Arrow's offsets reach.
      log.debug("The first chunk of {} rows failed; trying a smaller one", chunkRows, e);
      chunkRows = Math.max(1, chunkRows / FEWER_CHUNK_ROWS);
      closeStream();
      execute();
      return nextBatch();
    }
  }

  private Optional<ScanFrame> nextColumnless() throws SQLException {
    if (columnlessRows < 0) {
      if (!result.next()) {
        throw new IllegalStateException("a count without a row");
      }
      columnlessRows = plan.window.rowsOf(result.getLong(1));
    }
    int rows = (int) Math.min(columnlessRows, MAX_COLUMNLESS_ROWS);
    if (rows == 0) {
      return Optional.empty();
    }
    columnlessRows -= rows;
    try (VectorSchemaRoot root = new VectorSchemaRoot(List.of(), List.of(), rows)) {
      return Optional.of(RecordBatchEncoder.encode(root, batches));
    }
  }

  private void count(ScanFrame frame) {
    batches++;
    rows += frame.message().getBatch().getRows();
    bodyBytes += frame.bodyBytes();
  }

  private void interrupt() {
    DuckDBPreparedStatement running = statement;
    if (running == null || closed) {
      return;
    }
    try {
      running.cancel();
    } catch (SQLException e) {
      log.debug("The statement ended before it could be interrupted", e);
    }
  }

  private void requireNotCancelled() {
    if (cancelled) {
      throw new TallyException(
          ErrorCode.CANCELLED, "The scan of " + plan.where() + " was cancelled.");
    }
  }

  private Optional<EngineFailure> tell(Exception error) {
    boolean failedAtStart = result == null && statement != null;
    return failedAtStart ? diagnose() : EngineFailure.of(error);
  }

  private TallyException failure(Exception error, Optional<EngineFailure> told) {
    requireNotCancelled();
    try {
      plan.table.checkUnchanged();
    } catch (TallyException changed) {
      changed.addSuppressed(error);
      return changed;
    }
    return told.map(failure -> failure.toError(plan, error))
        .orElseGet(() -> EngineFailure.unexpected(plan, error));
  }

  /**
   * Finds out why the statement failed at its start. When a streamed result fails before its first
   * rows, the driver loses the engine's message; run again through the driver's other interface, it
   * is told.
   */
  private Optional<EngineFailure> diagnose() {
    try {
      prepareStatement(sql);
      requireNotCancelled();
      try (DuckDBChunkedResult again = statement.query()) {
        for (int i = 0; i < DIAGNOSED_CHUNKS && again.nextChunk(); i++) {
          log.trace("The statement has got as far as chunk {}", i);
        }
      }
      return Optional.empty();
    } catch (SQLException | RuntimeException e) {
      return EngineFailure.of(e);
    }
  }

  private static void requireSameTypes(List<Field> planned, List<Field> exported) {
    if (planned.size() != exported.size()) {
      throw new IllegalStateException(
          "planned %d columns, exported %d".formatted(planned.size(), exported.size()));
    }
    for (int i = 0; i < planned.size(); i++) {
      if (!engineType(planned.get(i)).equals(exported.get(i).getType())) {
        throw new IllegalStateException(
            "column \"%s\" was planned as %s and exported as %s"
                .formatted(
                    planned.get(i).getName(), planned.get(i).getType(), exported.get(i).getType()));
      }
      requireSameTypes(planned.get(i).getChildren(), exported.get(i).getChildren());
    }
  }

  /** Intervals are exported as the whole numbers that the engine takes them for. */
  private static ArrowType engineType(Field planned) {
    return switch (ValueType.of(planned).wire().getKind()) {
      case YEAR_MONTH_INTERVAL -> ValueType.of(WireTypes.INTEGER).arrow();
      case DAY_TIME_INTERVAL -> ValueType.of(WireTypes.BIGINT).arrow();
      default -> planned.getType();
    };
  }

  private void closeQuietly(AutoCloseable resource) {
    if (resource == null) {
      return;
    }
    try {
      resource.close();
    } catch (Exception e) {
      log.warn("Could not release what the scan of {} held", plan.where(), e);
    }
  }
}
