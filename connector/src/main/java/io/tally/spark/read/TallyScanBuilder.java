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
import java.util.Set;
import java.util.TreeMap;
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
  private final Optional<SessionRules> session;
  private final PartitionPruner pruner;
  private final PartitionIdConditions idConditions;
  private final SampleDraft sample;
  private final SelectionDraft selection;

  private final List<Predicate> pushed = new ArrayList<>();
  private final List<Expression> wirePredicates = new ArrayList<>();
  private final List<String> pushedText = new ArrayList<>();
  private final List<NotPushed> predicatesNotPushed = new ArrayList<>();
  private List<OwnedPartition> kept;

  /** Of the owners of the partitions that are kept. */
  private CommonFeatures features;

  private ExpressionBudget budget;
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
    this.session = session;
    this.pruner = new PartitionPruner(schema);
    this.idConditions = new PartitionIdConditions(schema, session);
    this.sample = new SampleDraft(settings);
    this.selection = new SelectionDraft(settings);
    this.kept = prune(view.partitions(), List.of());
    this.features = features(kept);
    this.budget = new ExpressionBudget(features);
    this.columns = schema.sparkSchema();
  }

  private static CommonFeatures features(List<OwnedPartition> partitions) {
    Map<String, Set<String>> byNode = new TreeMap<>();
    int maxExpressionNodes = Integer.MAX_VALUE;
    for (OwnedPartition owned : partitions) {
      for (ClusterView.Node owner : owned.owners()) {
        byNode.put(owner.nodeId(), owner.features());
        maxExpressionNodes = Math.min(maxExpressionNodes, owner.maxExpressionNodes());
      }
    }
    return CommonFeatures.of(byNode, maxExpressionNodes);
  }

  private PushdownContext context(CommonFeatures features) {
    List<Partition> partitions = view.partitions().stream().map(OwnedPartition::partition).toList();
    return new PushdownContext(schema, features, partitions, session);
  }

  private ExpressionTranslator expressions() {
    return new ExpressionTranslator(context(features));
  }

  /** Spark's newer offer with a method leads here, and refuses to sample blocks (SYSTEM). */
  @Override
  @SuppressWarnings("deprecation") // What replaces it does not exist before Spark 4.2.
  public boolean pushTableSample(
      double lowerBound, double upperBound, boolean withReplacement, long seed) {
    boolean positions = kept.stream().allMatch(owned -> owned.partition().getSplittable());
    return sample.push(lowerBound, upperBound, withReplacement, seed, features, positions);
  }

  /** Returns those of {@code predicates} that Spark must evaluate: the refused ones. */
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    List<Predicate> forNodes = decideOnPartitionIds(predicates);
    List<Translation> translations = translate(forNodes);
    List<Predicate> left = new ArrayList<>();
    for (int i = 0; i < forNodes.size(); i++) {
      Predicate predicate = forNodes.get(i);
      Translation translation = translations.get(i);
      if (translation instanceof Translation.Refused refused) {
        left.add(predicate);
        predicatesNotPushed.add(new NotPushed(Described.of(predicate), refused.reason()));
        continue;
      }
      Translation.Translated translated = (Translation.Translated) translation;
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
    return left.toArray(new Predicate[0]);
  }

  /** Prunes by what the ids of partitions decide; returns the other predicates. */
  private List<Predicate> decideOnPartitionIds(Predicate[] predicates) {
    List<Predicate> others = new ArrayList<>();
    List<Expression> onIds = new ArrayList<>();
    List<Partition> partitions = view.partitions().stream().map(OwnedPartition::partition).toList();
    for (Predicate predicate : predicates) {
      Optional<Expression> onId = idConditions.decidable(predicate, partitions);
      if (onId.isPresent()) {
        onIds.add(onId.get());
        pushed.add(predicate);
        pushedText.add(WireText.of(onId.get()));
      } else {
        others.add(predicate);
      }
    }
    kept = kept.stream().filter(owned -> idConditions.hold(owned.partition(), onIds)).toList();
    return others;
  }

  /**
   * Prunes on the way: by predicates that some node does not evaluate, too, because then it may not
   * be asked at all.
   */
  private List<Translation> translate(List<Predicate> predicates) {
    PredicateTranslator forOwners = new PredicateTranslator(expressions());
    PredicateTranslator forPruning =
        new PredicateTranslator(new ExpressionTranslator(context(CommonFeatures.OF_NO_NODE)));
    List<Translation> translations = new ArrayList<>();
    List<Expression> pruning = new ArrayList<>();
    for (Predicate predicate : predicates) {
      Translation translation = forOwners.translate(predicate);
      translations.add(translation);
      if ((translation instanceof Translation.Refused
              ? forPruning.translate(predicate)
              : translation)
          instanceof Translation.Translated translated) {
        pruning.add(translated.expression());
      }
    }
    kept = prune(kept, pruning);
    features = features(kept);
    if (wirePredicates.isEmpty()) {
      budget = new ExpressionBudget(features);
    }
    PredicateTranslator forKept = new PredicateTranslator(expressions());
    for (int i = 0; i < predicates.size(); i++) {
      if (translations.get(i) instanceof Translation.Refused) {
        translations.set(i, forKept.translate(predicates.get(i)));
      }
    }
    return translations;
  }

  private List<OwnedPartition> prune(List<OwnedPartition> partitions, List<Expression> predicates) {
    return partitions.stream()
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
    return new AggregationTranslator(context(features), streams, budget);
  }

  @Override
  public boolean pushLimit(int limit) {
    return selection.pushLimit(limit, selectionSource());
  }

  @Override
  public boolean pushTopN(SortOrder[] orders, int limit) {
    SortTranslator translator =
        new SortTranslator(expressions(), aggregationTranslator(), aggregation, budget);
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
        features, aggregation, selected -> all.streams(selected).size(), mostRows);
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
    boolean inParts = settings.pushDown() && features.has(Features.NESTED_PROJECTION);
    RowColumns read = RowColumns.of(schema, columns, inParts);
    if (read.sendsPartition() && !features.has(Features.PARTITION_COLUMN)) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "The column "
              + RowOrigin.PARTITION.column()
              + " of table \""
              + view.table()
              + "\" cannot be read: "
              + features.lacking(Features.PARTITION_COLUMN)
              + ". Leave the column out, or update the nodes.");
    }
    return read;
  }

  private Optional<NotPushed> fieldsNotChosen() {
    boolean all =
        !settings.pushDown()
            || features.has(Features.NESTED_PROJECTION)
            || aggregation.isPresent()
            || RowColumns.of(schema, columns, true).projection().isEmpty();
    return all
        ? Optional.empty()
        : Optional.of(
            new NotPushed("fields of columns", features.lacking(Features.NESTED_PROJECTION)));
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
          expressions().translate(ColumnReference.of(name)) instanceof Translation.Translated;
      boolean clear =
          Arrays.stream(readSchema.fieldNames()).filter(name::equalsIgnoreCase).count() == 1;
      if (inInput && evaluated && clear) {
        names.add(name);
      }
    }
    return RuntimeFilters.by(context(features), names, budget);
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
    fieldsNotChosen().ifPresent(notPushed::add);
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
