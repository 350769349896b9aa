package io.tally.server.scan;

import io.tally.rpc.AggregateFunction;
import io.tally.rpc.BodyCodec;
import io.tally.rpc.Features;
import io.tally.rpc.NearestName;
import io.tally.rpc.ScalarFunction;
import io.tally.rpc.v1.DataType;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What scans evaluate exactly as {@code expression.proto} defines it: all that this release knows,
 * or less, as an older release would. Immutable.
 */
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

  /** Behind the name of a family, such as {@code fn}, it stands for all features of it. */
  private static final String WHOLE_FAMILY = ".*";

  private static final Set<String> KNOWN =
      Stream.of(
              Arrays.stream(ScalarFunction.values()).map(ScalarFunction::feature),
              Arrays.stream(AggregateFunction.values()).map(AggregateFunction::feature),
              TYPES.stream().map(Features::ofType),
              BodyCodec.compressing().stream().map(BodyCodec::feature),
              Stream.of(
                  Features.ROW_RANGE,
                  Features.LIMIT,
                  Features.ORDER,
                  Features.OFFSET,
                  Features.SAMPLE,
                  Features.PARTITION_COLUMN,
                  Features.NESTED_PROJECTION,
                  Features.RESUME,
                  Features.PATH))
          .flatMap(names -> names)
          .collect(Collectors.toCollection(LinkedHashSet::new));

  /** All that this release knows. */
  public static final ScanFeatures ALL = new ScanFeatures(KNOWN);

  private final Set<String> names;

  private ScanFeatures(Set<String> names) {
    this.names = names;
  }

  /**
   * These without some: names of features, or of families such as {@code agg.*}. Names that {@link
   * #problem} objects to are left aside.
   */
  public ScanFeatures without(Collection<String> disabled) {
    Set<String> left = new LinkedHashSet<>(names);
    left.removeIf(name -> disabled.contains(name) || disabled.contains(familyOf(name)));
    return new ScanFeatures(left);
  }

  /** Why a name cannot be disabled, as a sentence without its end; empty if it can. */
  public static Optional<String> problem(String name) {
    Set<String> allowed = new LinkedHashSet<>(KNOWN);
    KNOWN.forEach(feature -> allowed.add(familyOf(feature)));
    if (allowed.contains(name)) {
      return Optional.empty();
    }
    return Optional.of(
        "unknown feature "
            + name
            + NearestName.of(name, allowed)
                .map(near -> "; did you mean " + near + "?")
                .orElse("; features are named as in DescribeNodeResponse, such as scan.limit"));
  }

  private static String familyOf(String feature) {
    return feature.substring(0, feature.indexOf('.')) + WHOLE_FAMILY;
  }

  /** The names for {@code DescribeNodeResponse.features}. */
  public List<String> names() {
    return List.copyOf(names);
  }

  /** Whether it is one of these. */
  public boolean has(String feature) {
    return names.contains(feature);
  }

  /** Whether nothing is left out. */
  boolean isComplete() {
    return names.equals(KNOWN);
  }

  /** Whether {@code Open.aggregation} means anything to the node. */
  boolean aggregates() {
    return Arrays.stream(AggregateFunction.values()).anyMatch(it -> has(it.feature()));
  }

  /** Whether {@code Open.predicate} means anything to the node: any condition can be written. */
  boolean filters() {
    return has(Features.ofType(DataType.Kind.BOOLEAN))
        || Arrays.stream(ScalarFunction.values()).anyMatch(it -> has(it.feature()));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ScanFeatures features && names.equals(features.names);
  }

  @Override
  public int hashCode() {
    return names.hashCode();
  }

  @Override
  public String toString() {
    return names.toString();
  }
}
