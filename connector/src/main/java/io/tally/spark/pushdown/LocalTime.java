package io.tally.spark.pushdown;

import io.tally.rpc.ScalarFunction;
import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.Literal;
import io.tally.spark.pushdown.Translation.Refused;
import io.tally.spark.pushdown.Translation.Translated;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes a TIMESTAMP and gives the time on the clocks of the session's zone, for which the rules of
 * the zone travel with the request, as Java knows them: those that hold between the column's
 * bounds.
 */
final class LocalTime {
  /** About two centuries with two changes a year. */
  private static final int MAX_TRANSITIONS = 400;

  private LocalTime() {}

  static Translation of(WireCalls calls, Translated timestamp, Optional<SessionRules> session) {
    if (session.isEmpty()) {
      return new Refused("the session's time zone was changed since the table was loaded");
    }
    ZoneId zone = session.get().zone();
    ZoneRules rules = zone.getRules();
    List<Translated> arguments = new ArrayList<>();
    arguments.add(timestamp);
    if (rules.isFixedOffset()) {
      arguments.add(seconds(rules.getOffset(Instant.EPOCH).getTotalSeconds()));
      return calls.of(ScalarFunction.TO_LOCAL, arguments);
    }
    IntegerRange range = calls.known(timestamp.expression()).range();
    Instant first = instant(range.lower());
    Instant last = instant(range.upper());
    arguments.add(seconds(rules.getOffset(first).getTotalSeconds()));
    ZoneOffsetTransition next = rules.nextTransition(first);
    for (int i = 0; next != null && !next.getInstant().isAfter(last); i++) {
      if (i >= MAX_TRANSITIONS) {
        return new Refused("clocks in " + zone + " change too often between the column's bounds");
      }
      arguments.add(timestamp(next.getInstant()));
      arguments.add(seconds(next.getOffsetAfter().getTotalSeconds()));
      next = rules.nextTransition(next.getInstant());
    }
    return calls.of(ScalarFunction.TO_LOCAL, arguments);
  }

  private static Translated seconds(int offset) {
    return WireCalls.integer(offset);
  }

  private static Translated timestamp(Instant instant) {
    return WireCalls.literal(
        Literal.newBuilder()
            .setType(WireTypes.TIMESTAMP)
            .setInteger(ChronoUnit.MICROS.between(Instant.EPOCH, instant))
            .build());
  }

  private static Instant instant(BigInteger micros) {
    return Instant.EPOCH.plus(micros.longValueExact(), ChronoUnit.MICROS);
  }
}
