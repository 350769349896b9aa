package io.tally.tests.differential;

import java.util.List;
import java.util.SplittableRandom;

/** Takes a seed and makes every choice of the generators, so that the seed alone repeats them. */
public final class Dice {
  private final SplittableRandom random;

  private Dice(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** The choices for the {@code index}-th thing that a run with this seed makes of a sort. */
  public static Dice of(long seed, String sort, long index) {
    long mixed = seed * 0x9E3779B97F4A7C15L + sort.hashCode();
    return new Dice(new SplittableRandom(mixed).nextLong() + index * 0xD1342543DE82EF95L);
  }

  /** True in {@code percent} of a hundred cases. */
  public boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** From 0 to {@code bound - 1}. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** Both ends included. */
  public int between(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  public long anyLong() {
    return random.nextLong();
  }

  public double fraction() {
    return random.nextDouble();
  }

  public <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  @SafeVarargs
  public final <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
