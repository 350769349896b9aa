package io.tally.spark;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Every option of the data source, once: the documentation is written from this list, and what is
 * not here is an unknown option.
 */
public enum TallyOption {
  ENDPOINTS(
      "addresses",
      "",
      "Nodes to ask what they own: `host:port`, several separated by commas, or `dns:///name:port` for"
          + " every address of a name. Required."),
  TABLE("name", "", "Name of the table as configured on the nodes, compared exactly. Required."),
  PUSH_DOWN(
      "true or false",
      "true",
      "Whether nodes filter and aggregate. With `false` they only choose columns and partitions, and"
          + " Spark computes the rest: for comparison."),
  SPLIT_ROWS(
      "rows",
      "1000000",
      "About how many rows one task reads where rows and not aggregates are read. A larger partition"
          + " is split, smaller ones of a node are read together; with a `LIMIT` up to this, one"
          + " task reads from each node."),
  MAX_BATCH_BYTES(
      "bytes", "1048576", "Target size of one batch on the wire; nodes coalesce and split to it."),
  WINDOW_BYTES(
      "bytes",
      "33554432",
      "The most that one stream may have on the way and not yet consumed; bounds the memory of a task"
          + " and of the node for it. At least `max-batch-bytes`."),
  PROCESS_WINDOW_BYTES(
      "bytes",
      "268435456",
      "The most that all streams of one executor (or driver) may have so. While there are many, each has"
          + " less, down to 256 KiB in smaller batches, and none waits. Best set for the whole session."
          + " At least `max-batch-bytes`."),
  MAX_ROW_BYTES(
      "bytes", "67108864", "A row larger than this fails the scan. At least `max-batch-bytes`."),
  COMPRESSION(
      "none, lz4 or zstd",
      "none",
      "How nodes compress what they send, for links that are slower than nodes and executors compress"
          + " and decompress. Batches that would not become smaller are sent as they are, and so are all"
          + " of a node that cannot compress so. The other limits are about sizes before compression."),
  SILENCE_TIMEOUT_MS(
      "milliseconds", "60000", "A node that sends nothing at all for this long is given up."),
  RECONNECT_TRIES(
      "tries",
      "6",
      "How often in a row a task whose connection broke asks its node to go on with the stream, before"
          + " it fails and Spark may run it again. `0`: it fails at once. While a replica could answer"
          + " instead and nothing was read yet, once at most."),
  RECONNECT_BACKOFF_MS(
      "milliseconds",
      "200",
      "The longest wait before the first of these tries. Each further one is twice as long, and a"
          + " random part of up to half is left off."),
  RECONNECT_BACKOFF_MAX_MS("milliseconds", "5000", "The longest wait before any of them."),
  DESCRIBE_TIMEOUT_MS(
      "milliseconds", "10000", "How long planning waits for a node to describe its partitions.");

  private final String key;
  private final String unit;
  private final String defaultValue;
  private final String description;

  TallyOption(String unit, String defaultValue, String description) {
    this.key = name().toLowerCase(Locale.ROOT).replace('_', '-');
    this.unit = unit;
    this.defaultValue = defaultValue;
    this.description = description;
  }

  /** The option's name; case does not matter to Spark. */
  public String key() {
    return key;
  }

  /** What the value is, for people. */
  public String unit() {
    return unit;
  }

  /** The default as a user would write it; empty if the option is required. */
  public Optional<String> defaultValue() {
    return defaultValue.isEmpty() ? Optional.empty() : Optional.of(defaultValue);
  }

  /** Markdown, a few sentences. */
  public String description() {
    return description;
  }

  /** The option of that name, upper and lower case alike. */
  static Optional<TallyOption> ofKey(String key) {
    return Arrays.stream(values()).filter(option -> option.key.equalsIgnoreCase(key)).findFirst();
  }
}
