package io.tally.spark.pushdown;

import java.util.Optional;

/**
 * What is known of the session in which a query is planned.
 *
 * @param rules empty if it is not sure which a query means
 * @param plainCounts whether a COUNT(*) that Spark offers is one, and no COUNT(DISTINCT constant),
 *     which it writes in the same way; so it is with the connector's rules for the optimizer
 */
public record PlanningSession(Optional<SessionRules> rules, boolean plainCounts) {}
