package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.AggregationTranslation;
import io.tally.spark.pushdown.AggregationTranslator;
import io.tally.spark.pushdown.ColumnEstimate;
import io.tally.spark.pushdown.ExpressionTranslator;
import io.tally.spark.pushdown.PartitionKeys;
import io.tally.spark.pushdown.SessionRules;
import io.tally.spark.pushdown.SortTranslator;
import io.tally.spark.pushdown.Translation;
import io.tally.spark.types.RowOrigin;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private final ClusterView view;
  private final TableSchema schema;
  private final ReadSettings settings;
  private final SampleDraft sample;
  private final PredicateDraft predicates;
  private final SelectionDraft selection;
  private Optional<NotPushed> aggregationNotPushed = Optional.empty();
  private Optional<AggregationPlan> aggregation = Optional.empty();
  private StructType columns;

  /**
   * @param view what the nodes hold
   * @param schema the columns that Spark sees
   * @param session empty if it is not sure which rules a query means
   */
  public TallyScanBuilder(
      ClusterView view, TableSchema schema, ReadSettings settings, Optional<SessionRules> session) {
    this.view = view;
    this.schema = schema;
    this.settings = settings;
    this.sample = new SampleDraft(settings);
    this.predicates = new PredicateDraft(view, schema, settings, session);
    this.selection = new SelectionDraft(settings);
    this.columns = schema.sparkSchema();
  }

  /** Spark's newer offer with a method leads here, and refuses to sample blocks (SYSTEM). */
  @Override
  @SuppressWarnings("deprecation") // What replaces it does not exist before Spark 4.2.
  public boolean pushTableSample(
      double lowerBound, double upperBound, boolean withReplacement, long seed) {
    boolean positions = predicates.keptPartitions().stream().allMatch(Partition::getSplittable);
    return sample.push(
        lowerBound, upperBound, withReplacement, seed, predicates.features(), positions);
  }

  /** Returns those of {@code offered} that Spark must evaluate: the refused ones. */
  @Override
  public Predicate[] pushPredicates(Predicate[] offered) {
    return predicates.push(List.of(offered)).toArray(new Predicate[0]);
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
    return translate(offered).map(AggregationPlan::complete).orElse(false);
  }

  /** Takes the aggregation if nodes can compute it, completely or in parts that Spark adds up. */
  @Override
  public boolean pushAggregation(Aggregation offered) {
    aggregation = translate(offered);
    return aggregation.isPresent();
  }

  private Optional<AggregationPlan> translate(Aggregation offered) {
    aggregationNotPushed = Optional.empty();
    if (!settings.pushDown()) {
      return Optional.empty();
    }
    AggregationTranslation translation = aggregationTranslator().translate(offered);
    if (translation instanceof AggregationTranslation.Refused refused) {
      aggregationNotPushed = Optional.of(new NotPushed(refused.what(), refused.reason()));
      return Optional.empty();
    }
    return Optional.of(((AggregationTranslation.Translated) translation).plan());
  }

  private AggregationTranslator aggregationTranslator() {
    List<List<Partition>> streams = List.copyOf(StreamPlanner.byNode(predicates.kept()).values());
    return new AggregationTranslator(predicates.context(), streams, predicates.budget());
  }

  @Override
  public boolean pushLimit(int limit) {
    return selection.pushLimit(limit, selectionSource());
  }

  @Override
  public boolean pushTopN(SortOrder[] orders, int limit) {
    SortTranslator translator =
        new SortTranslator(
            predicates.translator(), aggregationTranslator(), aggregation, predicates.budget());
    return selection.pushTopN(orders, limit, selectionSource(), translator);
  }

  /** Whether Spark limits, and sorts, what comes from several streams once more. */
  @Override
  public boolean isPartiallyPushed() {
    return selection.isPartial();
  }

  @Override
  public boolean pushOffset(int offset) {
    return selection.pushOffset(offset, selectionSource());
  }

  private SelectionDraft.Source selectionSource() {
    ScanPlan all = plan(RowSelection.ALL, RowColumns.ofGroups(new StructType()));
    long mostRows = aggregation.isPresent() ? Math.max(1, all.rows()) : all.rows();
    return new SelectionDraft.Source(
        predicates.features(), aggregation, selected -> all.streams(selected).size(), mostRows);
  }

  /**
   * The plan with streams by key, if Spark can make use of them, and if they are not so many that
   * the tasks cost more than the shuffle that they save.
   */
  private ScanPlan planByKeys(RowColumns read) {
    ScanPlan plan = plan(selection.selection(), read);
    if (aggregation.isPresent() || !selection.selection().isAll() || !settings.keepKeysApart()) {
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
        aggregation,
        selected,
        Optional.empty(),
        read,
        settings);
  }

  @Override
  public void pruneColumns(StructType requiredSchema) {
    columns = requiredSchema;
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
            || aggregation.isPresent()
            || RowColumns.of(schema, columns, true).projection().isEmpty();
    return all
        ? Optional.empty()
        : Optional.of(
            new NotPushed(
                "fields of columns", predicates.features().lacking(Features.NESTED_PROJECTION)));
  }

  /** Of rows alone: what groups hold is for Spark to estimate. */
  private Map<NamedReference, ColumnStatistics> columnStatistics(StructType readSchema) {
    if (aggregation.isPresent()) {
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
          aggregation.map(it -> it.aggregation().getGroupByList().contains(column)).orElse(true);
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
    RowColumns read =
        aggregation.map(plan -> RowColumns.ofGroups(plan.readSchema())).orElseGet(this::rowColumns);
    List<NotPushed> notPushed = new ArrayList<>(sample.notPushed());
    notPushed.addAll(predicates.notPushed());
    aggregationNotPushed.ifPresent(notPushed::add);
    notPushed.addAll(selection.notPushed());
    fieldsNotChosen().ifPresent(notPushed::add);
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
        schema.sparkSchema().defaultSize());
  }
}
