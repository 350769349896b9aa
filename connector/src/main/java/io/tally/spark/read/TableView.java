package io.tally.spark.read;

import io.tally.rpc.client.ClusterView;
import io.tally.spark.types.TableSchema;

/**
 * A table at one moment.
 *
 * @param view what the nodes hold
 * @param schema the columns that Spark sees
 */
public record TableView(ClusterView view, TableSchema schema) {}
