package io.tally.spark.read;

import io.tally.rpc.client.ClusterView;
import io.tally.rpc.client.ClusterView.OwnedPartition;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Partition;
import io.tally.spark.pushdown.CommonFeatures;
import io.tally.spark.pushdown.Described;
import io.tally.spark.pushdown.ExpressionBudget;
import io.tally.spark.pushdown.ExpressionTranslator;
import io.tally.spark.pushdown.PartitionIdConditions;
import io.tally.spark.pushdown.PartitionPruner;
import io.tally.spark.pushdown.PlanningSession;
import io.tally.spark.pushdown.PredicateTranslator;
import io.tally.spark.pushdown.PushdownContext;
import io.tally.spark.pushdown.Translation;
import io.tally.spark.pushdown.WireText;
import io.tally.spark.types.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * Takes the predicates that Spark offers and hands on those for the nodes, the partitions that may
 * hold a row, and what the owners of these can evaluate, which decides on all that follows.
 */
final class PredicateDraft {
  private final List<Partition> partitions;
  private final TableSchema schema;
  private final ReadSettings settings;
  private final PlanningSession session;
  private final PartitionPruner pruner;
  private final PartitionIdConditions idConditions;

  private final List<Predicate> pushed = new ArrayList<>();
  private final List<Expression> expressions = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<NotPushed> notPushed = new ArrayList<>();
  private List<OwnedPartition> kept;
  private CommonFeatures features;
  private ExpressionBudget budget;

  PredicateDraft(
      ClusterView view, TableSchema schema, ReadSettings settings, PlanningSession session) {
    this.partitions = view.partitions().stream().map(OwnedPartition::partition).toList();
    this.schema = schema;
    this.settings = settings;
    this.session = session;
    this.pruner = new PartitionPruner(schema);
    this.idConditions = new PartitionIdConditions(schema, session);
    this.kept = prune(view.partitions(), List.of());
    this.features = features(kept);
    this.budget = new ExpressionBudget(features);
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

  /** Returns those of {@code predicates} that Spark must evaluate: the refused ones. */
  List<Predicate> push(List<Predicate> predicates) {
    List<Predicate> forNodes = decideOnPartitionIds(predicates);
    List<Translation> translations = translate(forNodes);
    List<Predicate> left = new ArrayList<>();
    for (int i = 0; i < forNodes.size(); i++) {
      Predicate predicate = forNodes.get(i);
      Translation translation = translations.get(i);
      if (translation instanceof Translation.Refused refused) {
        left.add(predicate);
        notPushed.add(new NotPushed(Described.of(predicate), refused.reason()));
        continue;
      }
      Translation.Translated translated = (Translation.Translated) translation;
      if (!settings.pushDown()) {
        left.add(predicate);
      } else if (!budget.take(translated)) {
        left.add(predicate);
        notPushed.add(
            new NotPushed(
                Described.of(predicate),
                "all predicates together have more parts than nodes accept"));
      } else {
        pushed.add(predicate);
        expressions.add(translated.expression());
        texts.add(WireText.of(translated.expression()));
      }
    }
    return left;
  }

  /** Prunes by what the ids of partitions decide; returns the other predicates. */
  private List<Predicate> decideOnPartitionIds(List<Predicate> predicates) {
    List<Predicate> others = new ArrayList<>();
    List<Expression> onIds = new ArrayList<>();
    for (Predicate predicate : predicates) {
      Optional<Expression> onId = idConditions.decidable(predicate, partitions);
      if (onId.isPresent()) {
        onIds.add(onId.get());
        pushed.add(predicate);
        texts.add(WireText.of(onId.get()));
      } else {
        others.add(predicate);
      }
    }
    if (!onIds.isEmpty()) {
      kept = kept.stream().filter(owned -> idConditions.hold(owned.partition(), onIds)).toList();
    }
    return others;
  }

  /**
   * Prunes on the way: by predicates that some node does not evaluate, too, because then it may not
   * be asked at all.
   */
  private List<Translation> translate(List<Predicate> predicates) {
    PredicateTranslator forOwners = new PredicateTranslator(translator());
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
    if (expressions.isEmpty()) {
      budget = new ExpressionBudget(features);
    }
    PredicateTranslator forKept = new PredicateTranslator(translator());
    for (int i = 0; i < predicates.size(); i++) {
      if (translations.get(i) instanceof Translation.Refused) {
        translations.set(i, forKept.translate(predicates.get(i)));
      }
    }
    return translations;
  }

  private List<OwnedPartition> prune(List<OwnedPartition> from, List<Expression> predicates) {
    return from.stream().filter(owned -> pruner.mayMatch(owned.partition(), predicates)).toList();
  }

  private PushdownContext context(CommonFeatures common) {
    return new PushdownContext(schema, common, partitions, session);
  }

  /** What translators have to know, now that partitions are pruned. */
  PushdownContext context() {
    return context(features);
  }

  ExpressionTranslator translator() {
    return new ExpressionTranslator(context());
  }

  /** What Spark need not evaluate. */
  List<Predicate> pushed() {
    return pushed;
  }

  /** What nodes evaluate. */
  List<Expression> expressions() {
    return expressions;
  }

  List<String> texts() {
    return texts;
  }

  List<NotPushed> notPushed() {
    return notPushed;
  }

  /** The partitions that may hold a row, with their owners. */
  List<OwnedPartition> kept() {
    return kept;
  }

  List<Partition> keptPartitions() {
    return kept.stream().map(OwnedPartition::partition).toList();
  }

  /** Of the owners of the partitions that are kept. */
  CommonFeatures features() {
    return features;
  }

  /** What predicates leave of the parts that nodes accept. */
  ExpressionBudget budget() {
    return budget;
  }
}
