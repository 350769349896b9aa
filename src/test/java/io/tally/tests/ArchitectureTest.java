package io.tally.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShouldConjunction;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keeps the arrows between modules and between packages as docs/architecture.md draws them. */
class ArchitectureTest {
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
  @MethodSource("arrowsBetweenPackages")
  void packagesPointTheRightWay(ArchRule rule) {
    rule.check(house);
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

  static List<ArchRule> arrowsBetweenPackages() {
    return List.of(
        onlyOurs("io.tally.rpc", "io.tally.rpc", "io.tally.rpc.v1")
            .because("errors and names are below framing and channels"),
        onlyOurs("io.tally.rpc.arrow", "io.tally.rpc", "io.tally.rpc.v1", "io.tally.rpc.arrow")
            .because("framing must be usable without a channel"),
        onlyOurs("io.tally.spark.types", "io.tally.spark.types", "io.tally.rpc", "io.tally.rpc.v1")
            .because(
                "types map columns, and know errors and messages but no framing and no channel"),
        onlyOurs(
                "io.tally.spark.pushdown",
                "io.tally.spark.pushdown",
                "io.tally.spark.types",
                "io.tally.rpc",
                "io.tally.rpc.v1")
            .because("what is pushed is decided on expressions alone, with no node in reach"),
        noClasses()
            .that()
            .resideInAnyPackage("io.tally.spark.read..", "io.tally.spark.pushdown..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tally.spark")
            .because("the public face is above the scan, not below it"),
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
            .resideInAPackage("io.tally.server.grpc")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.duckdb..", "java.sql..")
            .because("the network side sees batches, not the engine that makes them"),
        onlyOurs(
                "io.tally.server.scan",
                "io.tally.server.scan",
                "io.tally.server.table",
                "io.tally.rpc..")
            .because("a scan turns a request into batches and does not know who asked"),
        onlyOurs("io.tally.server.table", "io.tally.server.table", "io.tally.rpc..")
            .because("tables are what a service implements to serve its own data"),
        onlyOurs(
                "io.tally.server.grpc",
                "io.tally.server.grpc",
                "io.tally.server.scan",
                "io.tally.server.table",
                "io.tally.rpc..")
            .because("configuration and wiring are above the services"));
  }

  /** Classes of {@code origin} may use of our packages only {@code allowed}. */
  private static ClassesShouldConjunction onlyOurs(String origin, String... allowed) {
    return classes()
        .that()
        .resideInAPackage(origin)
        .should()
        .onlyDependOnClassesThat(
            not(resideInAPackage("io.tally.."))
                .or(resideInAnyPackage(allowed))
                .as("ours in " + List.of(allowed)));
  }
}
