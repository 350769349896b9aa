package io.tally.server.scan;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.arrow.BodyCodecs;
import io.tally.rpc.v1.Applied;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Open;
import io.tally.rpc.v1.PartSelection;
import io.tally.server.table.ServedColumn;
import io.tally.server.table.ServedTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Checks an Open against the table that it names and hands on the plan to answer it with. Touches
 * no data. Safe for any thread.
 */
public final class ScanPlanner {
  /** A batch is one gRPC message, whose length is an int; the rest is for header and framing. */
  static final long MAX_MESSAGE_BYTES = Integer.MAX_VALUE - (16L << 20);

  /** Of a list of names in a message. */
  private static final int MAX_NAMES_CHARS = 200;

  /** It stands unquoted in logs. */
  private static final Pattern NAME_OF_NEW_COLUMN = Pattern.compile("[!-~]{1,128}");

  private static final Pattern SCAN_ID = Pattern.compile("[!-~]{1,128}");

  private final ExpressionLimits limits;
  private final ScanFeatures features;
  private final GroupShares shares = new GroupShares();

  /** A planner that accepts expressions within {@code limits}, and knows all features. */
  public ScanPlanner(ExpressionLimits limits) {
    this(limits, ScanFeatures.ALL);
  }

  /** A planner that does as a release would that knows only these features. */
  public ScanPlanner(ExpressionLimits limits, ScanFeatures features) {
    this.limits = limits;
    this.features = features;
  }

  /**
   * The plan of one scan.
   *
   * @throws TallyException LAYOUT_CHANGED, PARTITION_NOT_FOUND, COLUMN_NOT_FOUND, INVALID_REQUEST,
   *     UNSUPPORTED_FEATURE, EXPRESSION_TOO_LARGE
   */
  public ScanPlan plan(Open request, ServedTable table) {
    Open open = UnderstoodOpen.of(request, features, table);
    checkLimits(open);
    if (!open.getLayoutVersion().equals(table.layoutVersion())) {
      throw new TallyException(
          ErrorCode.LAYOUT_CHANGED,
          "Table \"%s\" has layout version \"%s\", not \"%s\" that the scan was planned with: plan again."
              .formatted(
                  table.name(), table.layoutVersion(), ShownText.name(open.getLayoutVersion())));
    }
    TableSource source = TableSource.of(table, open);
    TableColumns columns = new TableColumns(table);
    ExpressionSql expressions = new ExpressionSql(columns, limits);
    Sql where = new Sql();
    if (open.hasPredicate()) {
      where.append(" WHERE ");
      new FilterSql(columns, limits).append(where, expressions, open.getPredicate());
    }
    Sql sql = new Sql();
    RowWindow window = RowWindow.of(open);
    List<Field> fields;
    boolean canFail = false;
    Optional<RowByRow> rowByRow = Optional.empty();
    if (open.hasAggregation()) {
      AggregationSql aggregation = aggregation(open, expressions);
      Sql from = filtered(source, columns, where);
      aggregation.append(sql, from);
      if (addsUp(open) && source.rows() >= RowByRow.LEAST_ROWS) {
        rowByRow = aggregation.rowByRow(from, shares);
      }
      fields = aggregation.fields();
      SortSql.appendForAggregation(sql, open.getOrderByList(), fields);
      // The one group of an ungrouped aggregation exists even without rows.
      window.append(sql, Math.max(1, source.rows()));
      canFail = aggregation.canFail();
    } else {
      fields = appendRows(sql, open, window, source, columns, expressions, where);
    }
    BodyCodec codec = codec(open);
    return new ScanPlan(
        table,
        sql,
        rowByRow,
        new Schema(fields),
        applied(open, source, codec),
        codec,
        fields.isEmpty(),
        window,
        canFail || expressions.canOverflow(),
        source,
        open.getMaxBatchBytes(),
        Math.min(open.getMaxRowBytes(), MAX_MESSAGE_BYTES));
  }

  /** Whether the client adds up several rows of one group. */
  private static boolean addsUp(Open open) {
    return open.getAggregation().getPartial()
        && open.getOrderByCount() == 0
        && open.getOffset() == 0
        && !open.hasLimit();
  }

  private static AggregationSql aggregation(Open open, ExpressionSql expressions) {
    require(
        open.getColumnsCount() == 0 && open.getPartitionColumn().isEmpty(),
        "it has columns as well as an aggregation");
    require(open.getProjectionCount() == 0, "it has a projection as well as an aggregation");
    int outputs =
        open.getAggregation().getGroupByCount() + open.getAggregation().getAggregatesCount();
    if (outputs > ExpressionLimits.MAX_AGGREGATION_COLUMNS) {
      throw new TallyException(
          ErrorCode.EXPRESSION_TOO_LARGE,
          "The aggregation has %d keys and aggregates, more than the %d that this node accepts."
              .formatted(outputs, ExpressionLimits.MAX_AGGREGATION_COLUMNS));
    }
    return new AggregationSql(expressions, open.getAggregation());
  }

  private static List<Field> appendRows(
      Sql sql,
      Open open,
      RowWindow window,
      TableSource source,
      TableColumns columns,
      ExpressionSql expressions,
      Sql where) {
    Set<String> names = new HashSet<>();
    List<Field> fields = new ArrayList<>();
    List<String> selected = new ArrayList<>();
    Map<String, PartSelection> projection = projection(open);
    for (String name : open.getColumnsList()) {
      require(names.add(name), "it names column \"" + ShownText.name(name) + "\" twice");
      ServedColumn column = columns.use(name);
      PartSelection parts = projection.remove(name);
      if (parts == null) {
        fields.add(column.field());
        selected.add(Sql.quote(name) + " AS " + Sql.quote(name));
      } else {
        fields.add(NestedFields.select(column.field(), parts));
        String value = NestedFields.project(Sql.quote(name), column.field(), parts, 0);
        selected.add(value + " AS " + Sql.quote(name));
      }
    }
    require(
        projection.isEmpty(),
        "the projection names columns that are not asked for: "
            + ShownText.line(projection.keySet().toString(), MAX_NAMES_CHARS));
    String ids = open.getPartitionColumn();
    if (!ids.isEmpty()) {
      require(
          NAME_OF_NEW_COLUMN.matcher(ids).matches(),
          "partition_column is not 1 to 128 printable ASCII characters");
      require(names.add(ids), "it names column \"" + ids + "\" twice");
      fields.add(Field.notNullable(ids, ArrowType.Utf8.INSTANCE));
      selected.add(Sql.quote(source.idColumn()) + " AS " + Sql.quote(ids));
    }
    Sql order = new Sql();
    SortSql.appendForRows(order, open.getOrderByList(), expressions);
    boolean countOnly = selected.isEmpty();
    // Rows without columns are told by their number: nothing has to be moved for them.
    sql.append("SELECT ").append(countOnly ? "count(*) AS \"n\"" : String.join(", ", selected));
    sql.append(" FROM ").append(filtered(source, columns, where));
    if (!countOnly) {
      sql.append(order);
      window.append(sql, source.rows());
    }
    return fields;
  }

  private static Map<String, PartSelection> projection(Open open) {
    Map<String, PartSelection> projection = new LinkedHashMap<>();
    for (PartSelection parts : open.getProjectionList()) {
      require(
          projection.put(parts.getName(), parts) == null,
          "the projection names column \"" + ShownText.name(parts.getName()) + "\" twice");
    }
    return projection;
  }

  private static Sql filtered(TableSource source, TableColumns columns, Sql where) {
    Sql from = new Sql();
    source.append(from, columns.used());
    return from.append(where);
  }

  /** A name that this release does not know, or has no library for, is passed over. */
  private static BodyCodec codec(Open open) {
    return BodyCodec.ofWireName(open.getBodyCodec())
        .filter(BodyCodecs::isAvailable)
        .orElse(BodyCodec.NONE);
  }

  private static Applied applied(Open open, TableSource source, BodyCodec codec) {
    return Applied.newBuilder()
        .setPredicate(open.hasPredicate())
        .setAggregation(open.hasAggregation())
        .setLimit(open.hasLimit())
        .setRowRanges(source.hasRanges())
        .setOrder(open.getOrderByCount() > 0)
        .setOffset(open.getOffset() > 0)
        .setSample(open.hasSample())
        .setProjection(open.getProjectionCount() > 0)
        .setPartitionColumn(!open.getPartitionColumn().isEmpty())
        .setBodyCodec(codec != BodyCodec.NONE)
        .build();
  }

  private static void checkLimits(Open open) {
    require(
        SCAN_ID.matcher(open.getScanId()).matches(),
        "scan_id is not 1 to 128 printable ASCII characters without spaces");
    require(open.getMaxBatchBytes() >= 1, "max_batch_bytes is not positive");
    require(
        open.getMaxBatchBytes() <= MAX_MESSAGE_BYTES,
        "max_batch_bytes is more than " + MAX_MESSAGE_BYTES);
    require(
        open.getMaxRowBytes() >= open.getMaxBatchBytes(),
        "max_row_bytes is less than max_batch_bytes");
    require(open.getProgressIntervalMillis() >= 0, "progress_interval_millis is negative");
    require(!open.hasLimit() || open.getLimit() >= 0, "limit is negative");
    require(open.getOffset() >= 0, "offset is negative");
    require(
        !open.hasSample() || SampleSql.isSound(open.getSample()),
        "sample is not 0 <= lower <= upper <= 1");
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new TallyException(
          ErrorCode.INVALID_REQUEST, "The request to scan is wrong: " + otherwise + ".");
    }
  }
}
