package io.tally.spark.read;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.AggregationTranslation;
import io.tally.spark.pushdown.AggregationTranslator;
import io.tally.spark.pushdown.CommonFeatures;
import io.tally.spark.pushdown.Described;
import io.tally.spark.pushdown.ExpressionTranslator;
import io.tally.spark.pushdown.PartitionPruner;
import io.tally.spark.pushdown.PredicateTranslator;
import io.tally.spark.pushdown.PushdownContext;
import io.tally.spark.pushdown.SessionRules;
import io.tally.spark.pushdown.Translation;
import io.tally.spark.pushdown.WireText;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;

/**
 * Takes what Spark offers for one scan, in Spark's order (predicates, an aggregation, columns; see
 * {@code V2ScanRelationPushDown}), and hands on an immutable {@link TallyScan}. Used by one thread.
 */
public final class TallyScanBuilder
    implements SupportsPushDownV2Filters,
        SupportsPushDownAggregates,
        SupportsPushDownRequiredColumns {
  private static final NotPushed SWITCHED_OFF =
      new NotPushed("anything but columns and partitions", "the option push-down is false");

  private final ClusterView view;
  private final TableSchema schema;
  private final ReadSettings settings;
  private final PushdownContext context;
  private final PredicateTranslator predicateTranslator;
  private final PartitionPruner pruner;

  private final List<Predicate> pushed = new ArrayList<>();
  private final List<Expression> wirePredicates = new ArrayList<>();
  private final List<String> pushedText = new ArrayList<>();
  private final List<NotPushed> predicatesNotPushed = new ArrayList<>();
  private List<OwnedPartition> kept;
  private Optional<NotPushed> aggregationNotPushed = Optional.empty();
  private Optional<AggregationPlan> aggregation = Optional.empty();
  private List<String> columns;

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
                .toList());
    List<Partition> partitions = view.partitions().stream().map(OwnedPartition::partition).toList();
    this.context = new PushdownContext(schema, features, partitions, session);
    this.predicateTranslator = new PredicateTranslator(new ExpressionTranslator(context));
    this.pruner = new PartitionPruner(schema);
    this.kept = prune(List.of());
    this.columns = List.of(schema.sparkSchema().fieldNames());
  }

  /** Returns those of {@code predicates} that Spark must evaluate: the refused ones. */
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    List<Predicate> left = new ArrayList<>();
    List<Expression> pruning = new ArrayList<>();
    int nodes = 1;
    for (Predicate predicate : predicates) {
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
      } else if (nodes + translated.nodes() > ExpressionTranslator.MAX_NODES) {
        left.add(predicate);
        predicatesNotPushed.add(
            new NotPushed(
                Described.of(predicate),
                "all predicates together have more than "
                    + ExpressionTranslator.MAX_NODES
                    + " parts"));
      } else {
        nodes += translated.nodes();
        pushed.add(predicate);
        wirePredicates.add(translated.expression());
        pushedText.add(WireText.of(translated.expression()));
      }
    }
    kept = prune(pruning);
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
    List<List<Partition>> streams = List.copyOf(StreamPlanner.byNode(kept).values());
    AggregationTranslation translation =
        new AggregationTranslator(context, streams).translate(offered);
    if (translation instanceof AggregationTranslation.Refused refused) {
      aggregationNotPushed = Optional.of(new NotPushed(refused.what(), refused.reason()));
      return Optional.empty();
    }
    return Optional.of(((AggregationTranslation.Translated) translation).plan());
  }

  @Override
  public void pruneColumns(StructType requiredSchema) {
    columns = Arrays.asList(requiredSchema.fieldNames());
  }

  /**
   * The scan of what was pushed.
   *
   * @throws io.tally.rpc.TallyException COLUMN_NOT_FOUND if a column is needed that cannot be read
   */
  @Override
  public Scan build() {
    StructType readSchema =
        aggregation.map(AggregationPlan::readSchema).orElseGet(() -> schema.select(columns));
    List<NotPushed> notPushed = new ArrayList<>(predicatesNotPushed);
    aggregationNotPushed.ifPresent(notPushed::add);
    if (!settings.pushDown()) {
      notPushed.add(SWITCHED_OFF);
    }
    ScanPlan plan =
        new ScanPlan(view.table(), kept, wirePredicates, aggregation, readSchema, settings);
    return new TallyScan(
        plan, pushedText, notPushed, view.partitions().size(), schema.sparkSchema().defaultSize());
  }
}
