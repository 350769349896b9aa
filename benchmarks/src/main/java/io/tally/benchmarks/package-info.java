/**
 * What is measured, against peers and limits: each benchmark states its goals as ratios within one
 * run.
 */
package io.tally.benchmarks;
