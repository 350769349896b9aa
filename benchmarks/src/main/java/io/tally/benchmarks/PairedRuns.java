package io.tally.benchmarks;

import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * Times two things in turn, A B A B …, so that a machine whose speed drifts slows both alike.
 * Figures are medians; the first rounds warm up and do not count.
 */
final class PairedRuns {
  private static final double NANOS_PER_MILLI = 1e6;

  private final double[] aMillis;
  private final double[] bMillis;

  private PairedRuns(double[] aMillis, double[] bMillis) {
    this.aMillis = aMillis;
    this.bMillis = bMillis;
  }

  static PairedRuns measure(int warmUps, int pairs, Callable<?> a, Callable<?> b) throws Exception {
    for (int i = 0; i < warmUps; i++) {
      a.call();
      b.call();
    }
    double[] aMillis = new double[pairs];
    double[] bMillis = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      aMillis[i] = millis(a);
      bMillis[i] = millis(b);
    }
    return new PairedRuns(aMillis, bMillis);
  }

  static double medianMillis(int warmUps, int runs, Callable<?> work) throws Exception {
    for (int i = 0; i < warmUps; i++) {
      work.call();
    }
    double[] times = new double[runs];
    for (int i = 0; i < runs; i++) {
      times[i] = millis(work);
    }
    return median(times);
  }

  double aMedianMillis() {
    return median(aMillis);
  }

  double bMedianMillis() {
    return median(bMillis);
  }

  /** Median over the pairs of {@code (A − lessMillis) / B}. */
  double medianRatio(double lessMillis) {
    double[] ratios = new double[aMillis.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = (aMillis[i] - lessMillis) / bMillis[i];
    }
    return median(ratios);
  }

  private static double millis(Callable<?> work) throws Exception {
    long start = System.nanoTime();
    work.call();
    return (System.nanoTime() - start) / NANOS_PER_MILLI;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
