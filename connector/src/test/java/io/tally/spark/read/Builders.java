package io.tally.spark.read;

import io.tally.rpc.client.ClusterView;
import io.tally.spark.pushdown.SessionRules;
import io.tally.spark.types.TableSchema;
import java.util.Optional;

/** Scan builders over nodes that do not change. */
final class Builders {
  private Builders() {}

  static TallyScanBuilder of(
      ClusterView view, TableSchema schema, ReadSettings settings, Optional<SessionRules> session) {
    TableView table = new TableView(view, schema);
    return new TallyScanBuilder(table, () -> table, settings, session);
  }
}
