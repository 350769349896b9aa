package io.tally.spark.read;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.Features;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.ColumnEstimate;
import io.tally.spark.pushdown.ExpressionTranslator;
import io.tally.spark.pushdown.PartitionKeys;
import io.tally.spark.pushdown.PlanningSession;
import io.tally.spark.pushdown.Translation;
import io.tally.spark.types.RowOrigin;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownOffset;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownTableSample;
import org.apache.spark.sql.connector.read.SupportsPushDownTopN;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what Spark offers for one scan, in Spark's order (a sample, predicates, an aggregation,
 * order, limit and offset, columns; see {@code V2ScanRelationPushDown}), and hands on an immutable
 * {@link TallyScan}. Used by one thread.
 */
public final class TallyScanBuilder
    implements SupportsPushDownTableSample,
        SupportsPushDownV2Filters,
        SupportsPushDownAggregates,
        SupportsPushDownLimit,
        SupportsPushDownTopN,
        SupportsPushDownOffset,
        SupportsPushDownRequiredColumns {
  /** A task for each key is worth it for this many. */
  private static final int MAX_KEYED_STREAMS = 100;

  private static final NotPushed SWITCHED_OFF =
      new NotPushed("anything but columns and partitions", "the option push-down is false");

  private static final Logger LOG = LoggerFactory.getLogger(TallyScanBuilder.class);

  private final ClusterView view;
  private final TableSchema schema;
  private final Supplier<TableView> latest;
  private final ReadSettings settings;
  private final PlanningSession session;
  private final Offers offers = new Offers();
  private final SampleDraft sample;
  private final PredicateDraft predicates;
  private final GroupingDraft grouping;
  private final SelectionDraft selection;
  private StructType columns;

  /**
   * @param table what the scan is planned with
   * @param latest what the nodes say when it is asked for
   */
  public TallyScanBuilder(
      TableView table, Supplier<TableView> latest, ReadSettings settings, PlanningSession session) {
    this.view = table.view();
    this.schema = table.schema();
    this.latest = latest;
    this.settings = settings;
    this.session = session;
    this.sample = new SampleDraft(settings);
    this.predicates = new PredicateDraft(view, schema, settings, session);
    this.grouping =
        new GroupingDraft(
            settings,
            predicates,
            () -> Spread.of(view.table(), sample.sample(), predicates.expressions()));
    this.selection = new SelectionDraft(settings);
    this.columns = schema.sparkSchema();
  }

  /** Spark's newer offer with a method leads here, and refuses to sample blocks (SYSTEM). */
  @Override
  @SuppressWarnings("deprecation") // What replaces it does not exist before Spark 4.2.
  public boolean pushTableSample(
      double lowerBound, double upperBound, boolean withReplacement, long seed) {
    boolean positions = predicates.keptPartitions().stream().allMatch(Partition::getSplittable);
    return offers.note(
        builder -> builder.pushTableSample(lowerBound, upperBound, withReplacement, seed),
        sample.push(
            lowerBound, upperBound, withReplacement, seed, predicates.features(), positions));
  }

  /** Returns those of {@code offered} that Spark must evaluate: the refused ones. */
  @Override
  public Predicate[] pushPredicates(Predicate[] offered) {
    return offers.note(
        builder -> builder.pushPredicates(offered),
        predicates.push(List.of(offered)).toArray(new Predicate[0]));
  }

  @Override
  public Predicate[] pushedPredicates() {
    return predicates.pushed().toArray(new Predicate[0]);
  }

  /**
   * Spark asks this first, with AVG as it is, and, if the answer is no, again with AVG as SUM and
   * COUNT. Nothing is decided here; only the reason of a refusal is kept for EXPLAIN.
   */
  @Override
  public boolean supportCompletePushDown(Aggregation offered) {
    return offers.note(
        builder -> builder.supportCompletePushDown(offered), grouping.isComplete(offered));
  }

  /** Takes the aggregation if nodes can compute it, completely or in parts that Spark adds up. */
  @Override
  public boolean pushAggregation(Aggregation offered) {
    return offers.note(builder -> builder.pushAggregation(offered), grouping.push(offered));
  }

  @Override
  public boolean pushLimit(int limit) {
    return offers.note(
        builder -> builder.pushLimit(limit), selection.pushLimit(limit, selectionSource()));
  }

  @Override
  public boolean pushTopN(SortOrder[] orders, int limit) {
    return offers.note(
        builder -> builder.pushTopN(orders, limit),
        selection.pushTopN(orders, limit, selectionSource(), grouping.sortTranslator()));
  }

  /** Whether Spark limits, and sorts, what comes from several streams once more. */
  @Override
  public boolean isPartiallyPushed() {
    return selection.isPartial();
  }

  @Override
  public boolean pushOffset(int offset) {
    return offers.note(
        builder -> builder.pushOffset(offset), selection.pushOffset(offset, selectionSource()));
  }

  private SelectionDraft.Source selectionSource() {
    ScanPlan all = plan(RowSelection.ALL, RowColumns.ofGroups(new StructType()));
    long mostRows = grouping.plan().isPresent() ? Math.max(1, all.rows()) : all.rows();
    return new SelectionDraft.Source(
        predicates.features(), grouping.plan(), selected -> all.streams(selected).size(), mostRows);
  }

  /**
   * The plan with streams by key, if Spark can make use of them, and if they are not so many that
   * the tasks cost more than the shuffle that they save.
   */
  private ScanPlan planByKeys(RowColumns read) {
    ScanPlan plan = plan(selection.selection(), read);
    if (grouping.plan().isPresent()
        || !selection.selection().isAll()
        || !settings.keepKeysApart()) {
      return plan;
    }
    ScanPlan byKeys =
        plan.by(
            PartitionKeys.proved(
                schema, predicates.keptPartitions(), List.of(read.schema().fieldNames())));
    return byKeys.streams().size() <= Math.max(MAX_KEYED_STREAMS, plan.streams().size())
        ? byKeys
        : plan;
  }

  private ScanPlan plan(RowSelection selected, RowColumns read) {
    return new ScanPlan(
        view.table(),
        predicates.kept(),
        sample.sample(),
        predicates.expressions(),
        grouping.plan(),
        grouping.isTogether(),
        selected,
        Optional.empty(),
        read,
        settings);
  }

  @Override
  public void pruneColumns(StructType requiredSchema) {
    columns = requiredSchema;
    offers.note(
        builder -> {
          builder.pruneColumns(requiredSchema);
          return true;
        },
        true);
  }

  private RowColumns rowColumns() {
    boolean inParts = settings.pushDown() && predicates.features().has(Features.NESTED_PROJECTION);
    RowColumns read = RowColumns.of(schema, columns, inParts);
    if (read.sendsPartition() && !predicates.features().has(Features.PARTITION_COLUMN)) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "The column "
              + RowOrigin.PARTITION.column()
              + " of table \""
              + view.table()
              + "\" cannot be read: "
              + predicates.features().lacking(Features.PARTITION_COLUMN)
              + ". Leave the column out, or update the nodes.");
    }
    return read;
  }

  private Optional<NotPushed> fieldsNotChosen() {
    boolean all =
        !settings.pushDown()
            || predicates.features().has(Features.NESTED_PROJECTION)
            || grouping.plan().isPresent()
            || RowColumns.of(schema, columns, true).projection().isEmpty();
    return all
        ? Optional.empty()
        : Optional.of(
            new NotPushed(
                "fields of columns", predicates.features().lacking(Features.NESTED_PROJECTION)));
  }

  private Optional<NotPushed> notCompressed() {
    String feature = settings.codec().feature();
    return settings.codec() == BodyCodec.NONE || predicates.features().has(feature)
        ? Optional.empty()
        : Optional.of(new NotPushed("compression", predicates.features().lacking(feature)));
  }

  /** Of rows alone: what groups hold is for Spark to estimate. */
  private Map<NamedReference, ColumnStatistics> columnStatistics(StructType readSchema) {
    if (grouping.plan().isPresent()) {
      return Map.of();
    }
    Map<NamedReference, ColumnStatistics> statistics = new HashMap<>();
    for (String name : readSchema.fieldNames()) {
      ColumnEstimate.of(schema, predicates.keptPartitions(), name)
          .ifPresent(estimate -> statistics.put(ColumnReference.of(name), estimate));
    }
    return statistics;
  }

  /** By columns of the output: where groups are read, those that are keys. */
  private RuntimeFilters runtimeFilters(StructType readSchema) {
    if (!settings.pushDown() || !selection.selection().isAll()) {
      return RuntimeFilters.IMPOSSIBLE;
    }
    List<String> names = new ArrayList<>();
    ExpressionTranslator translator = predicates.translator();
    for (String name : readSchema.fieldNames()) {
      Expression column = Expression.newBuilder().setColumn(name).build();
      boolean inInput =
          grouping
              .plan()
              .map(it -> it.aggregation().getGroupByList().contains(column))
              .orElse(true);
      boolean evaluated =
          translator.translate(ColumnReference.of(name)) instanceof Translation.Translated;
      boolean clear =
          Arrays.stream(readSchema.fieldNames()).filter(name::equalsIgnoreCase).count() == 1;
      if (inInput && evaluated && clear) {
        names.add(name);
      }
    }
    return RuntimeFilters.by(predicates.context(), names, predicates.budget());
  }

  /**
   * The scan of what was pushed.
   *
   * @throws io.tally.rpc.TallyException COLUMN_NOT_FOUND if a column is needed that cannot be read
   */
  @Override
  public Scan build() {
    return plan();
  }

  private TallyScan plan() {
    RowColumns read =
        grouping
            .plan()
            .map(plan -> RowColumns.ofGroups(plan.readSchema()))
            .orElseGet(this::rowColumns);
    List<NotPushed> notPushed = new ArrayList<>(sample.notPushed());
    notPushed.addAll(predicates.notPushed());
    notPushed.addAll(grouping.notPushed());
    notPushed.addAll(selection.notPushed());
    fieldsNotChosen().ifPresent(notPushed::add);
    notCompressed().ifPresent(notPushed::add);
    if (!settings.pushDown()) {
      notPushed.add(SWITCHED_OFF);
    }
    return new TallyScan(
        planByKeys(read),
        runtimeFilters(read.schema()),
        new ScanDescription(
            sample.texts(),
            predicates.texts(),
            selection.texts(),
            notPushed,
            view.partitions().size()),
        columnStatistics(read.schema()),
        schema.sparkSchema().defaultSize(),
        this::upToDate);
  }

  /** Empty if something that Spark counts on cannot be pushed down any more. */
  private Optional<TallyScan> offerAgain(TableView now) {
    TallyScanBuilder repeated = new TallyScanBuilder(now, () -> now, settings, session);
    try {
      return offers.areAnsweredAlikeBy(repeated) ? Optional.of(repeated.plan()) : Optional.empty();
    } catch (TallyException e) {
      LOG.debug("Table \"{}\" cannot be planned anew", view.table(), e);
      return Optional.empty();
    }
  }

  /**
   * The same scan, or one that is planned anew with what the nodes hold now and that gives Spark
   * what the first was to give.
   *
   * @throws TallyException LAYOUT_CHANGED if there is none
   */
  private TallyScan upToDate(TallyScan planned) {
    TableView now = latest.get();
    if (now.view().equals(view)) {
      return planned;
    }
    Optional<TallyScan> anew =
        offerAgain(now).filter(replanned -> replanned.plan().standsInFor(planned.plan()));
    if (anew.isPresent()) {
      LOG.info(
          "Table \"{}\" is not on the nodes as it was when the query was planned: planned anew as {}",
          view.table(),
          anew.get());
      return anew.get();
    }
    if (planned.plan().isReadableIn(view, now.view())) {
      return planned;
    }
    throw new TallyException(
        ErrorCode.LAYOUT_CHANGED,
        "Table \"%s\" has changed on the nodes since the query was planned, so that what they were to do for it does not fit any more. Run the query again; a DataFrame that was run before has to be built again."
            .formatted(view.table()));
  }
}
