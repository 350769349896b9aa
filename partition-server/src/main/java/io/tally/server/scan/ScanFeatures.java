package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.Features;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What scans evaluate exactly as {@code expression.proto} defines it. */
public final class ScanFeatures {
  /** Types of literals and operands. TIME is only sent. */
  static final List<DataType.Kind> TYPES =
      List.of(
          DataType.Kind.BOOLEAN,
          DataType.Kind.TINYINT,
          DataType.Kind.SMALLINT,
          DataType.Kind.INTEGER,
          DataType.Kind.BIGINT,
          DataType.Kind.FLOAT,
          DataType.Kind.DOUBLE,
          DataType.Kind.DECIMAL,
          DataType.Kind.STRING,
          DataType.Kind.BINARY,
          DataType.Kind.DATE,
          DataType.Kind.TIMESTAMP,
          DataType.Kind.TIMESTAMP_NTZ,
          DataType.Kind.YEAR_MONTH_INTERVAL,
          DataType.Kind.DAY_TIME_INTERVAL);

  private ScanFeatures() {}

  /** The names for {@code DescribeNodeResponse.features}. */
  public static List<String> names() {
    return Stream.of(
            Arrays.stream(ScalarFunction.values()).map(ScalarFunction::feature),
            Arrays.stream(AggregateFunction.values()).map(AggregateFunction::feature),
            TYPES.stream().map(Features::ofType),
            Stream.of(
                Features.ROW_RANGE,
                Features.LIMIT,
                Features.ORDER,
                Features.OFFSET,
                Features.SAMPLE,
                Features.PARTITION_COLUMN,
                Features.NESTED_PROJECTION,
                Features.PATH))
        .flatMap(names -> names)
        .toList();
  }
}
