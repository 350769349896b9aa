package io.tally.tests;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the three nodes of {@link TallyCluster#flights()}, started once for all test classes
 * and stopped after the last, as a parameter of type {@link TallyCluster} or {@link ThreeWays}. Not
 * for tests that do something to the nodes.
 */
public final class FlightsCluster implements ParameterResolver {
  private static final String[] MONTHS = {
    "2001-01", "2001-02", "2001-03", "2001-04", "2001-05", "2001-06"
  };

  private record Shared(TallyCluster cluster, ThreeWays ways) implements AutoCloseable {
    static Shared start() {
      TallyCluster cluster = TallyCluster.flights();
      return new Shared(cluster, threeWays(cluster, Map.of()));
    }

    @Override
    public void close() {
      cluster.close();
    }
  }

  /** The flights three ways, with settings of the session. */
  static ThreeWays threeWays(TallyCluster cluster, Map<String, String> settings) {
    return ThreeWays.over(
        settings,
        List.of(
            ThreeWays.Table.parquet(
                cluster, "flights", Stream.of(MONTHS).map(Home::flights).toList()),
            new ThreeWays.Table(
                "airports",
                cluster.options("airports"),
                spark ->
                    spark
                        .read()
                        .option("header", "true")
                        .option("inferSchema", "true")
                        .csv(Home.airports().toString()))));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TallyCluster.class || type == ThreeWays.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Shared shared =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(FlightsCluster.class))
            .getOrComputeIfAbsent(Shared.class, key -> Shared.start(), Shared.class);
    return parameter.getParameter().getType() == ThreeWays.class ? shared.ways() : shared.cluster();
  }
}
