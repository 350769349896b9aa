package io.tally.rpc;

import io.tally.rpc.v1.DataType;
import java.util.Locale;

/** Feature names other than those of functions, see {@code DescribeNodeResponse.features}. */
public final class Features {
  /** {@code ScanPartition.range} may be used. */
  public static final String ROW_RANGE = "scan.row_range";

  /** {@code Open.limit} may be used. */
  public static final String LIMIT = "scan.limit";

  /** {@code Open.order_by} may be used. */
  public static final String ORDER = "scan.order";

  /** {@code Open.offset} may be used. */
  public static final String OFFSET = "scan.offset";

  /** {@code Open.sample} may be used. */
  public static final String SAMPLE = "scan.sample";

  /** {@code Open.partition_column} may be used. */
  public static final String PARTITION_COLUMN = "scan.partition_column";

  /** {@code Open.projection} may be used. */
  public static final String NESTED_PROJECTION = "scan.nested_projection";

  /** {@code Open.resume_after} may be used. */
  public static final String RESUME = "scan.resume";

  /** {@code Expression.path} may be used. */
  public static final String PATH = "expression.path";

  private Features() {}

  /** The feature of evaluating with operands or literals of a type. */
  public static String ofType(DataType.Kind kind) {
    return "type." + kind.name().toLowerCase(Locale.ROOT);
  }
}
