package io.tally.spark.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Takes down what Spark has offered for one scan and how it was answered, so that the same can be
 * offered again where the table has changed meanwhile: a plan that is made of equal answers can
 * stand in for the first. For one thread at a time.
 */
final class Offers {
  private final List<Offer<?>> offers = new ArrayList<>();

  private record Offer<T>(Function<TallyScanBuilder, T> repeat, T answer) {
    boolean isAnsweredAlike(TallyScanBuilder builder) {
      return Objects.deepEquals(answer, repeat.apply(builder));
    }
  }

  /**
   * Notes an offer; returns its answer.
   *
   * @param repeat makes the same offer to another builder
   */
  <T> T note(Function<TallyScanBuilder, T> repeat, T answer) {
    offers.add(new Offer<>(repeat, answer));
    return answer;
  }

  /** Makes all offers to another builder; whether it answers each in the same way. */
  boolean areAnsweredAlikeBy(TallyScanBuilder builder) {
    return List.copyOf(offers).stream().allMatch(offer -> offer.isAnsweredAlike(builder));
  }
}
