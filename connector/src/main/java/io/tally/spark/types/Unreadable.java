package io.tally.spark.types;

/**
 * Why a column cannot be read.
 *
 * @param nativeType type in the words of the node's storage engine
 * @param reason a sentence for people
 */
public record Unreadable(String nativeType, String reason) {}
