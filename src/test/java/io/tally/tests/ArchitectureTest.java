package io.tally.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Keeps the arrows between modules and between packages as docs/architecture.md draws them; those
 * between packages are read from its table.
 */
class ArchitectureTest {
  private static final Path PAGE = Home.root().resolve("docs/architecture.md");
  private static final String HOUSE = "io.tally.";
  private static final String MESSAGES = "io.tally.rpc.v1";

  /** {@code | `package` | receives → hands on | may use |} */
  private static final Pattern ROW =
      Pattern.compile("\\| `(io\\.tally\\.[a-z0-9.]+)` \\|[^|]*\\|([^|]*)\\|");

  private static final Pattern NAME = Pattern.compile("`([a-z0-9.]+)`");

  private static JavaClasses house;

  @BeforeAll
  static void readCompiledModules() {
    house =
        new ClassFileImporter()
            .importPaths(
                Stream.of("rpc-protocol", "partition-server", "connector")
                    .map(module -> Home.root().resolve(module).resolve("target/classes"))
                    .toList());
  }

  @ParameterizedTest
  @MethodSource("arrowsBetweenModules")
  void modulesPointTheRightWay(ArchRule rule) {
    rule.check(house);
  }

  @ParameterizedTest
  @MethodSource("librariesOfPackages")
  void packagesUseTheirLibrariesAlone(ArchRule rule) {
    rule.check(house);
  }

  @ParameterizedTest
  @MethodSource("arrowsBetweenPackages")
  void packagesPointTheRightWay(Arrows arrows) {
    arrows.rule().check(house);
  }

  @Test
  void everyPackageIsInTheTable() throws IOException {
    Set<String> inTable = new TreeSet<>(Set.of(MESSAGES));
    arrowsBetweenPackages().forEach(arrows -> inTable.add(arrows.origin()));
    Set<String> inHouse = new TreeSet<>();
    house.forEach(type -> inHouse.add(type.getPackageName()));
    assertEquals(inTable, inHouse);
  }

  @Test
  void packagesFormNoCircle() {
    slices()
        .matching("io.tally.(**)")
        .should()
        .beFreeOfCycles()
        .because("a reader follows a query from package to package, and never in a circle")
        .check(house);
  }

  static List<ArchRule> arrowsBetweenModules() {
    return List.of(
        noClasses()
            .that()
            .resideInAPackage("io.tally.rpc..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.tally.spark..",
                "io.tally.server..",
                "org.apache.spark..",
                "org.duckdb..",
                "java.sql..")
            .because("the wire knows neither Spark nor DuckDB: anybody can speak it"),
        noClasses()
            .that()
            .resideInAPackage("io.tally.spark..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.tally.server..", "org.duckdb..", "java.sql..")
            .because("the connector knows nodes by the wire alone"),
        noClasses()
            .that()
            .resideInAPackage("io.tally.server..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.tally.spark..", "org.apache.spark..")
            .because("a node serves any client and runs without Spark"),
        classes()
            .should()
            .resideInAPackage("io.tally..")
            .because("a class of ours in org.apache.spark would break with Spark's next release"));
  }

  static List<ArchRule> librariesOfPackages() {
    return List.of(
        noClasses()
            .that(
                resideInAPackage("io.tally.server..")
                    .and(not(resideInAPackage("io.tally.server.grpc"))))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.grpc..", "io.netty..")
            .because("only server.grpc speaks gRPC: scans are tested with no network"),
        noClasses()
            .that()
            .resideInAPackage("io.tally.rpc..")
            .should()
            .callMethodWhere(target(nameMatching("keepAlive.*")))
            .because(
                "servers and proxies end connections on which more pings come than one in five minutes (NET-3)"),
        noClasses()
            .that()
            .resideInAPackage("io.tally.server.grpc")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.duckdb..", "java.sql..")
            .because("the network side sees batches, not the engine that makes them"));
  }

  /** The rows of the table in docs/architecture.md: the table is the rule. */
  static List<Arrows> arrowsBetweenPackages() throws IOException {
    List<Arrows> rows =
        Files.readString(PAGE)
            .lines()
            .map(ROW::matcher)
            .filter(Matcher::matches)
            .map(row -> new Arrows(row.group(1), mayUse(row.group(2))))
            .toList();
    assertTrue(rows.size() > 1, "the table was not found in " + PAGE);
    return rows;
  }

  /** The packages that a cell names; {@code –} is none. */
  private static List<String> mayUse(String cell) {
    return NAME.matcher(cell).results().map(name -> HOUSE + name.group(1)).toList();
  }

  /**
   * One row of the table.
   *
   * @param origin a package
   * @param mayUse what it may use of ours, beside itself; the generated messages are everybody's
   */
  private record Arrows(String origin, List<String> mayUse) {
    ArchRule rule() {
      List<String> allowed = new ArrayList<>(mayUse);
      allowed.add(origin);
      allowed.add(MESSAGES);
      return classes()
          .that()
          .resideInAPackage(origin)
          .should()
          .onlyDependOnClassesThat(
              not(resideInAPackage("io.tally.."))
                  .or(resideInAnyPackage(allowed.toArray(String[]::new)))
                  .as("ours in " + allowed))
          .because("that is what the table in docs/architecture.md allows");
    }

    @Override
    public String toString() {
      return origin;
    }
  }
}
