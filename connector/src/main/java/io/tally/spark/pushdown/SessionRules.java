package io.tally.spark.pushdown;

import java.time.ZoneId;

/**
 * Settings of the session that decide what a query means.
 *
 * @param zone where the parts and the date of a TIMESTAMP are taken
 * @param nanForOneValue whether the variance of a sample of one is NaN, as in Spark 3.0, instead of
 *     NULL
 * @param discreteByPlace whether PERCENTILE_DISC takes the place that PERCENTILE_CONT interpolates
 *     at, as in Spark 3.3
 */
public record SessionRules(ZoneId zone, boolean nanForOneValue, boolean discreteByPlace) {}
