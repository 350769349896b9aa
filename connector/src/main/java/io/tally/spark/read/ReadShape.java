package io.tally.spark.read;

import io.tally.rpc.v1.Open;
import io.tally.spark.pushdown.OutputColumn;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.StructType;

/**
 * What a reader makes of the batches of a stream.
 *
 * @param columns that Spark gets
 * @param outputs of the aggregation, one for each column; empty: rows
 * @param complete whether Spark does nothing more to what is read: where it adds nothing up,
 *     nothing may be split; where it neither sorts nor limits, all of that has to be done
 */
record ReadShape(RowColumns columns, List<OutputColumn> outputs, boolean complete)
    implements Serializable {
  ReadShape {
    outputs = List.copyOf(outputs);
  }

  StructType readSchema() {
    return columns.schema();
  }

  boolean isAggregation() {
    return !outputs.isEmpty();
  }

  /**
   * Whether the partitions of a scan may be read one behind the other, as if each had a task of its
   * own: not where all of them give one answer that Spark does nothing more to.
   */
  boolean isDivisible(Open open) {
    boolean selects = open.hasLimit() || open.getOrderByCount() > 0 || open.getOffset() > 0;
    return !complete || !(isAggregation() || selects);
  }
}
