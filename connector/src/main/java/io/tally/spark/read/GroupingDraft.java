package io.tally.spark.read;

import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.AggregationTranslation;
import io.tally.spark.pushdown.AggregationTranslator;
import io.tally.spark.pushdown.SortTranslator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;

/**
 * Takes the aggregations that Spark offers for one scan, whose predicates are settled, and hands on
 * the plan of the one that nodes compute, or the reason why they do not. All owners share the work,
 * unless what they answer does not add up: then one that owns everything does it alone.
 */
final class GroupingDraft {
  private final ReadSettings settings;
  private final PredicateDraft predicates;
  private final Supplier<Spread> spread;
  private Optional<AggregationPlan> plan = Optional.empty();
  private boolean together;
  private Optional<NotPushed> notPushed = Optional.empty();

  /**
   * @param spread by which the streams of the scan will be planned
   */
  GroupingDraft(ReadSettings settings, PredicateDraft predicates, Supplier<Spread> spread) {
    this.settings = settings;
    this.predicates = predicates;
    this.spread = spread;
  }

  private record Answer(AggregationTranslation translation, boolean together) {}

  /** Decides nothing; only the reason of a refusal is kept for EXPLAIN. */
  boolean isComplete(Aggregation offered) {
    notPushed = Optional.empty();
    return settings.pushDown()
        && accepted(answer(offered)).map(AggregationPlan::complete).orElse(false);
  }

  boolean push(Aggregation offered) {
    notPushed = Optional.empty();
    plan = Optional.empty();
    together = false;
    if (settings.pushDown()) {
      Answer answer = answer(offered);
      plan = accepted(answer);
      together = plan.isPresent() && answer.together();
    }
    return plan.isPresent();
  }

  private Optional<AggregationPlan> accepted(Answer answer) {
    if (answer.translation() instanceof AggregationTranslation.Refused refused) {
      notPushed = Optional.of(new NotPushed(refused.what(), refused.reason()));
      return Optional.empty();
    }
    return Optional.of(((AggregationTranslation.Translated) answer.translation()).plan());
  }

  private Answer answer(Aggregation offered) {
    AggregationTranslation ofAllOwners = translator(false).translate(offered);
    boolean alone =
        ofAllOwners instanceof AggregationTranslation.Refused
            && StreamPlanner.ownerOfAll(predicates.kept(), spread.get()).isPresent();
    return alone
        ? new Answer(translator(true).translate(offered), true)
        : new Answer(ofAllOwners, false);
  }

  private AggregationTranslator translator(boolean oneStream) {
    List<List<Partition>> streams =
        oneStream
            ? List.of(predicates.keptPartitions())
            : List.copyOf(StreamPlanner.byNode(predicates.kept(), spread.get()).values());
    return new AggregationTranslator(predicates.context(), streams, predicates.budget());
  }

  /** For the order of what is read. */
  SortTranslator sortTranslator() {
    return new SortTranslator(
        predicates.translator(), translator(together), plan, predicates.budget());
  }

  /** Empty: rows are read. */
  Optional<AggregationPlan> plan() {
    return plan;
  }

  /** Whether one node has to answer everything. */
  boolean isTogether() {
    return together;
  }

  List<NotPushed> notPushed() {
    return notPushed.stream().toList();
  }
}
