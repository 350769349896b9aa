package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.AggregationTranslation;
import io.tally.spark.pushdown.AggregationTranslator;
import io.tally.spark.pushdown.ColumnEstimate;
import io.tally.spark.pushdown.CommonFeatures;
import io.tally.spark.pushdown.Described;
import io.tally.spark.pushdown.ExpressionBudget;
import io.tally.spark.pushdown.ExpressionTranslator;
import io.tally.spark.pushdown.PartitionIdConditions;
import io.tally.spark.pushdown.PartitionKeys;
import io.tally.spark.pushdown.PartitionPruner;
import io.tally.spark.pushdown.PredicateTranslator;
import io.tally.spark.pushdown.PushdownContext;
import io.tally.spark.pushdown.SessionRules;
import io.tally.spark.pushdown.SortTranslator;
import io.tally.spark.pushdown.Translation;
import io.tally.spark.pushdown.WireText;
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
  private final PushdownContext context;
  private final PredicateTranslator predicateTranslator;
  private final PartitionPruner pruner;
  private final PartitionIdConditions idConditions;
  private final SampleDraft sample;
  private final SelectionDraft selection;

  private final List<Predicate> pushed = new ArrayList<>();
  private final List<Expression> wirePredicates = new ArrayList<>();
  private final List<String> pushedText = new ArrayList<>();
  private final List<NotPushed> predicatesNotPushed = new ArrayList<>();
  private final ExpressionBudget budget;
  private List<OwnedPartition> kept;
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
    CommonFeatures features =
        CommonFeatures.of(
            view.partitions().stream()
                .flatMap(owned -> owned.owners().stream())
                .map(ClusterView.Node::features)
                .distinct()
                .toList(),
            view.partitions().stream()
                .flatMap(owned -> owned.owners().stream())
                .mapToInt(ClusterView.Node::maxExpressionNodes)
                .min()
                .orElse(Integer.MAX_VALUE));
    List<Partition> partitions = view.partitions().stream().map(OwnedPartition::partition).toList();
    this.context = new PushdownContext(schema, features, partitions, session);
    this.budget = new ExpressionBudget(features);
    this.predicateTranslator = new PredicateTranslator(new ExpressionTranslator(context));
    this.pruner = new PartitionPruner(schema);
    this.idConditions = new PartitionIdConditions(schema, session);
    this.sample = new SampleDraft(settings, features);
    this.selection = new SelectionDraft(settings, features);
    this.kept = prune(List.of());
    this.columns = schema.sparkSchema();
  }

  /** Spark's newer offer with a method leads here, and refuses to sample blocks (SYSTEM). */
  @Override
  @SuppressWarnings("deprecation") // What replaces it does not exist before Spark 4.2.
  public boolean pushTableSample(
      double lowerBound, double upperBound, boolean withReplacement, long seed) {
    boolean positions = kept.stream().allMatch(owned -> owned.partition().getSplittable());
    return sample.push(lowerBound, upperBound, withReplacement, seed, positions);
  }

  /** Returns those of {@code predicates} that Spark must evaluate: the refused ones. */
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    List<Predicate> left = new ArrayList<>();
    List<Expression> pruning = new ArrayList<>();
    List<Expression> onIds = new ArrayList<>();
    List<Partition> partitions = view.partitions().stream().map(OwnedPartition::partition).toList();
    for (Predicate predicate : predicates) {
      Optional<Expression> onId = idConditions.decidable(predicate, partitions);
      if (onId.isPresent()) {
        onIds.add(onId.get());
        pushed.add(predicate);
        pushedText.add(WireText.of(onId.get()));
        continue;
      }
      Translation translation = predicateTranslator.translate(predicate);
      if (translation instanceof Translation.Refused refused) {
        left.add(predicate);
        predicatesNotPushed.add(new NotPushed(Described.of(predicate), refused.reason()));
        continue;
      }
      Translation.Translated translated = (Translation.Translated) translation;
      pruning.add(translated.expression());
      if (!settings.pushDown()) {
        left.add(predicate);
      } else if (!budget.take(translated)) {
        left.add(predicate);
        predicatesNotPushed.add(
            new NotPushed(
                Described.of(predicate),
                "all predicates together have more parts than nodes accept"));
      } else {
        pushed.add(predicate);
        wirePredicates.add(translated.expression());
        pushedText.add(WireText.of(translated.expression()));
      }
    }
    kept =
        prune(pruning).stream()
            .filter(owned -> idConditions.hold(owned.partition(), onIds))
            .toList();
    return left.toArray(new Predicate[0]);
  }

  private List<OwnedPartition> prune(List<Expression> predicates) {
    return view.partitions().stream()
        .filter(owned -> pruner.mayMatch(owned.partition(), predicates))
        .toList();
  }

  @Override
  public Predicate[] pushedPredicates() {
    return pushed.toArray(new Predicate[0]);
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
    List<List<Partition>> streams = List.copyOf(StreamPlanner.byNode(kept).values());
    return new AggregationTranslator(context, streams, budget);
  }

  @Override
  public boolean pushLimit(int limit) {
    return selection.pushLimit(limit, selectionSource());
  }

  @Override
  public boolean pushTopN(SortOrder[] orders, int limit) {
    SortTranslator translator =
        new SortTranslator(
            new ExpressionTranslator(context), aggregationTranslator(), aggregation, budget);
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
        aggregation, selected -> all.streams(selected).size(), mostRows);
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
    List<Partition> partitions = kept.stream().map(OwnedPartition::partition).toList();
    ScanPlan byKeys =
        plan.by(PartitionKeys.proved(schema, partitions, List.of(read.schema().fieldNames())));
    return byKeys.streams().size() <= Math.max(MAX_KEYED_STREAMS, plan.streams().size())
        ? byKeys
        : plan;
  }

  private ScanPlan plan(RowSelection selected, RowColumns read) {
    return new ScanPlan(
        view.table(),
        kept,
        sample.sample(),
        wirePredicates,
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
    boolean inParts = settings.pushDown() && context.features().has(Features.NESTED_PROJECTION);
    RowColumns read = RowColumns.of(schema, columns, inParts);
    if (read.sendsPartition() && !context.features().has(Features.PARTITION_COLUMN)) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "The column "
              + RowOrigin.PARTITION.column()
              + " of table \""
              + view.table()
              + "\" cannot be read: not every node has the feature "
              + Features.PARTITION_COLUMN
              + ". Leave the column out, or update the nodes.");
    }
    return read;
  }

  /** Of rows alone: what groups hold is for Spark to estimate. */
  private Map<NamedReference, ColumnStatistics> columnStatistics(StructType readSchema) {
    if (aggregation.isPresent()) {
      return Map.of();
    }
    List<Partition> partitions = kept.stream().map(OwnedPartition::partition).toList();
    Map<NamedReference, ColumnStatistics> statistics = new HashMap<>();
    for (String name : readSchema.fieldNames()) {
      ColumnEstimate.of(schema, partitions, name)
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
    for (String name : readSchema.fieldNames()) {
      Expression column = Expression.newBuilder().setColumn(name).build();
      boolean inInput =
          aggregation.map(it -> it.aggregation().getGroupByList().contains(column)).orElse(true);
      boolean evaluated =
          new ExpressionTranslator(context).translate(ColumnReference.of(name))
              instanceof Translation.Translated;
      boolean clear =
          Arrays.stream(readSchema.fieldNames()).filter(name::equalsIgnoreCase).count() == 1;
      if (inInput && evaluated && clear) {
        names.add(name);
      }
    }
    return RuntimeFilters.by(context, names, budget);
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
    notPushed.addAll(predicatesNotPushed);
    aggregationNotPushed.ifPresent(notPushed::add);
    notPushed.addAll(selection.notPushed());
    if (!settings.pushDown()) {
      notPushed.add(SWITCHED_OFF);
    }
    return new TallyScan(
        planByKeys(read),
        runtimeFilters(read.schema()),
        new ScanDescription(
            sample.texts(), pushedText, selection.texts(), notPushed, view.partitions().size()),
        columnStatistics(read.schema()),
        schema.sparkSchema().defaultSize());
  }
}
