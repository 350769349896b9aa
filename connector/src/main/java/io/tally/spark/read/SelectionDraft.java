package io.tally.spark.read;

import io.tally.rpc.Features;
import io.tally.spark.pushdown.AggregationPlan;
import io.tally.spark.pushdown.CommonFeatures;
import io.tally.spark.pushdown.SortTranslation;
import io.tally.spark.pushdown.SortTranslator;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.connector.expressions.SortOrder;

/**
 * Takes the limits, orders and offsets that Spark offers for one scan, whose partitions and
 * aggregation are settled, and hands on what each stream is to yield. Spark may offer the same
 * twice; the last answer counts.
 *
 * <p>A limit always helps, even where Spark has to limit again: no stream yields more. An offset
 * needs one stream that yields the whole result, because no stream knows how many rows of others
 * come before its own; Spark offers it even where a limit was taken in parts.
 */
final class SelectionDraft {
  private final ReadSettings settings;
  private final Set<NotPushed> notPushed = new LinkedHashSet<>();
  private RowSelection selection = RowSelection.ALL;
  private List<String> orderTexts = List.of();

  SelectionDraft(ReadSettings settings) {
    this.settings = settings;
  }

  /**
   * What the streams would read.
   *
   * @param features of all nodes that may have to answer
   * @param streams how many there would be with a selection
   * @param mostRows no more rows than this can qualify
   */
  record Source(
      CommonFeatures features,
      Optional<AggregationPlan> aggregation,
      Function<RowSelection, Integer> streams,
      long mostRows) {

    private boolean isSettled() {
      return aggregation.map(AggregationPlan::complete).orElse(true);
    }
  }

  boolean pushLimit(int limit, Source source) {
    String what = "LIMIT " + limit;
    // Spark adds limit and offset up without looking whether the sum fits.
    if (!settings.pushDown()
        || limit < 1
        || !mayCut(what, source)
        || !has(what, Features.LIMIT, source)) {
      return false;
    }
    if (limit >= source.mostRows()) {
      // It leaves out nothing, and as long as nobody limits, streams are read side by side.
      accept(RowSelection.ALL, List.of(), false);
      return true;
    }
    RowSelection first = RowSelection.first(limit, List.of());
    accept(first, List.of(), source.streams().apply(first) > 1);
    return true;
  }

  boolean pushTopN(SortOrder[] orders, int limit, Source source, SortTranslator translator) {
    String what = "ORDER BY … LIMIT " + limit;
    if (!settings.pushDown()
        || limit < 1
        || !mayCut(what, source)
        || !has(what, Features.ORDER, source)
        || !has(what, Features.LIMIT, source)) {
      return false;
    }
    if (limit > settings.splitRows()) {
      return refuse(
          what, "nodes do not sort more rows than split-rows (" + settings.splitRows() + ")");
    }
    SortTranslation translation = translator.translate(orders);
    if (translation instanceof SortTranslation.Refused refused) {
      return refuse(what, refused.reason());
    }
    SortTranslation.Translated translated = (SortTranslation.Translated) translation;
    RowSelection first = RowSelection.first(limit, translated.keys());
    int streams = source.streams().apply(first);
    if (streams == 0 || (streams > 1 && limit >= source.mostRows())) {
      return refuse(what, "it leaves out no row");
    }
    accept(first, translated.texts(), streams > 1);
    return true;
  }

  boolean pushOffset(int offset, Source source) {
    String what = "OFFSET " + offset;
    if (!settings.pushDown() || !mayCut(what, source) || !has(what, Features.OFFSET, source)) {
      return false;
    }
    RowSelection behind = selection.without(offset);
    if (selection.partial() || source.streams().apply(behind) != 1) {
      return refuse(what, "only one stream alone knows which rows come before");
    }
    selection = behind;
    return true;
  }

  private boolean mayCut(String what, Source source) {
    return source.isSettled() || refuse(what, "Spark has yet to add up the groups of all streams");
  }

  private boolean has(String what, String feature, Source source) {
    return source.features().has(feature) || refuse(what, source.features().lacking(feature));
  }

  private boolean refuse(String what, String reason) {
    notPushed.add(new NotPushed(what, reason));
    return false;
  }

  private void accept(RowSelection accepted, List<String> texts, boolean partial) {
    this.selection = accepted.partial(partial);
    this.orderTexts = texts;
  }

  /** Whether Spark has to limit, and sort, again. */
  boolean isPartial() {
    return selection.partial();
  }

  RowSelection selection() {
    return selection;
  }

  /** What was taken, for EXPLAIN; empty if nothing was. */
  List<String> texts() {
    List<String> texts = new ArrayList<>();
    if (!orderTexts.isEmpty()) {
      texts.add("PushedOrder: " + orderTexts);
    }
    String extent = selection.partial() ? " (partial)" : " (complete)";
    selection.limit().ifPresent(limit -> texts.add("PushedLimit: " + limit + extent));
    if (selection.offset() > 0) {
      texts.add("PushedOffset: " + selection.offset());
    }
    return texts;
  }

  List<NotPushed> notPushed() {
    return List.copyOf(notPushed);
  }
}
