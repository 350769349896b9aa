package io.tally.spark;

import java.time.ZoneId;
import java.util.Optional;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.internal.SQLConf;

/**
 * The session's time zone when a table was loaded, which Spark fixed in the query's casts about
 * then, but does not tell a data source. A query may have been written under another zone than the
 * one that it is planned under: in a view that remembers its settings, or before the setting was
 * changed.
 */
record SessionZone(String id) {

  static SessionZone current() {
    return new SessionZone(SQLConf.get().sessionLocalTimeZone());
  }

  /** The zone, or empty if the session has another one now. */
  Optional<ZoneId> ifUnchanged() {
    return equals(current()) ? Optional.of(DateTimeUtils.getZoneId(id)) : Optional.empty();
  }
}
