package io.tally.server.table;

/**
 * A column that exists but is not sent.
 *
 * @param nativeType type in the storage engine's words
 * @param reason a sentence for people
 */
public record UnservedColumn(String name, String nativeType, String reason) {}
