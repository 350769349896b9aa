package io.tally.spark;

import io.tally.spark.pushdown.PlanningSession;
import io.tally.spark.pushdown.SessionRules;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;

/**
 * Reads the settings of the session that decide what a query means. Spark fixes them in the query's
 * expressions when it analyses them, but does not tell a data source. A query may have been written
 * under other settings than those under which it is planned: in a view that remembers its own, or
 * before a setting was changed.
 */
final class CurrentSession {
  private CurrentSession() {}

  /** The session that plans a query in this thread, if one does. */
  static Optional<SparkSession> spark() {
    return OptionConverters.toJava(SparkSession.getActiveSession());
  }

  /** All that are set, by name. */
  static Map<String, String> settings() {
    return CollectionConverters.asJava(SQLConf.get().getAllConfs());
  }

  static SessionRules rules() {
    SQLConf settings = SQLConf.get();
    return new SessionRules(
        DateTimeUtils.getZoneId(settings.sessionLocalTimeZone()),
        settings.legacyStatisticalAggregate(),
        (boolean) settings.getConf(SQLConf.LEGACY_PERCENTILE_DISC_CALCULATION()));
  }

  /**
   * What is known of it while a query is planned.
   *
   * @param loadedUnder the rules that held when the table was loaded; it is not sure which a query
   *     means if others hold now
   */
  static PlanningSession planning(SessionRules loadedUnder) {
    return new PlanningSession(
        Optional.of(loadedUnder).filter(rules -> rules.equals(rules())),
        TallyExtensions.changeCounts());
  }
}
