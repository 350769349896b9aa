package io.tally.tests.differential;

import io.tally.tests.Answer;
import java.util.List;
import java.util.regex.Pattern;

/** Takes each result of a run and counts. Not for several threads. */
final class Totals {
  private static final Pattern PUSHED = Pattern.compile("Pushed\\w+: (?!\\[\\])");

  private int passed;
  private int failed;
  private int wholly;
  private int partly;
  private int refused;
  private int rowsAlone;
  private int withoutScan;
  private int errors;

  void add(Check.Result result) {
    if (result.isWrong()) {
      failed++;
    } else {
      passed++;
    }
    if (result.pushing() instanceof Answer.Returned returned) {
      addPlan(returned.scans());
    } else if (result.failsEverywhere()) {
      errors++;
    }
  }

  private void addPlan(List<String> scans) {
    String plan = String.join("\n", scans);
    boolean pushed = PUSHED.matcher(plan).find();
    boolean notPushed = plan.contains("NotPushed: [");
    if (scans.isEmpty()) {
      withoutScan++;
    } else if (pushed && !notPushed) {
      wholly++;
    } else if (pushed) {
      partly++;
    } else if (notPushed) {
      refused++;
    } else {
      rowsAlone++;
    }
  }

  int failed() {
    return failed;
  }

  int queries() {
    return passed + failed;
  }

  int errors() {
    return errors;
  }

  int wholly() {
    return wholly;
  }

  /** What became of the push-down, by the plans. */
  String pushDown() {
    return ("Of what Spark offered, %d pushed wholly, %d partly, %d refused;"
            + " %d had nothing to push, %d no scan, %d failed alike")
        .formatted(wholly, partly, refused, rowsAlone, withoutScan, errors);
  }

  String verdict() {
    return "%d passed, %d failed".formatted(passed, failed);
  }
}
