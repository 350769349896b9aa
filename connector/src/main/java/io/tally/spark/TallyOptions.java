package io.tally.spark;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.NearestName;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ReconnectPolicy;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.spark.read.ReadSettings;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The options of one table, read once, on the driver. The only place that knows precedence: an
 * option of the table or query, then {@code spark.datasource.tally.KEY} of the session, then the
 * default.
 *
 * @param endpoints as written, see {@code Endpoints.resolve}
 * @param table name on the nodes
 * @param describeTimeoutMillis how long planning waits for a node
 * @param settings what concerns reading
 */
public record TallyOptions(
    String endpoints, String table, long describeTimeoutMillis, ReadSettings settings) {

  /** Where Spark looks for session settings by itself: {@code SessionConfigSupport}. */
  static final String SPARK_PREFIX = "spark.datasource.tally.";

  /** Spark's own setting: whether it looks at how the rows of a source are partitioned. */
  private static final String BUCKETING = "spark.sql.sources.v2.bucketing.enabled";

  /**
   * A table of a catalog comes with all its properties; its options among them are there a second
   * time under this prefix ({@code TableCatalog.OPTION_PREFIX}).
   */
  private static final String CATALOG_OPTION_PREFIX = "option.";

  /** What tables of a catalog have among their properties: {@code TableCatalog.PROP_PROVIDER}. */
  private static final String CATALOG_MARK = "provider";

  /**
   * Reads and checks all options.
   *
   * @param options as Spark hands them over, table properties included
   * @param session all settings of the session
   * @throws TallyException INVALID_REQUEST if an option is unknown, missing or malformed
   */
  static TallyOptions of(Map<String, String> options, Map<String, String> session) {
    Values values = new Values(ownOptions(options), ofSession(session));
    int maxBatchBytes =
        (int) values.number(TallyOption.MAX_BATCH_BYTES, 1024, Integer.MAX_VALUE / 2);
    ScanOptions limits =
        new ScanOptions(
            maxBatchBytes,
            values.number(TallyOption.WINDOW_BYTES, maxBatchBytes, Integer.MAX_VALUE),
            values.number(TallyOption.PROCESS_WINDOW_BYTES, maxBatchBytes, Long.MAX_VALUE),
            (int) values.number(TallyOption.MAX_ROW_BYTES, maxBatchBytes, Integer.MAX_VALUE),
            values.number(TallyOption.SILENCE_TIMEOUT_MS, 100, Integer.MAX_VALUE),
            new ReconnectPolicy(
                (int) values.number(TallyOption.RECONNECT_TRIES, 0, 1_000),
                values.number(TallyOption.RECONNECT_BACKOFF_MS, 1, Integer.MAX_VALUE),
                values.number(TallyOption.RECONNECT_BACKOFF_MAX_MS, 1, Integer.MAX_VALUE)));
    ReadSettings settings =
        new ReadSettings(
            limits,
            values.number(TallyOption.SPLIT_ROWS, 1, Long.MAX_VALUE / 2),
            Boolean.parseBoolean(session.getOrDefault(BUCKETING, "true")),
            values.flag(TallyOption.PUSH_DOWN),
            values.codec(TallyOption.COMPRESSION));
    return new TallyOptions(
        values.text(TallyOption.ENDPOINTS),
        values.text(TallyOption.TABLE),
        values.number(TallyOption.DESCRIBE_TIMEOUT_MS, 1, Integer.MAX_VALUE),
        settings);
  }

  /** Whether both name the same table of the same nodes. */
  boolean sameTable(TallyOptions other) {
    return endpoints.equals(other.endpoints) && table.equals(other.table);
  }

  /** Those that are meant for us, by lower-case name; unknown ones are errors. */
  private static Map<String, String> ownOptions(Map<String, String> options) {
    Map<String, String> given = byName(options);
    boolean ofCatalog = given.containsKey(CATALOG_MARK);
    Map<String, String> own = new HashMap<>();
    given.forEach(
        (key, value) -> {
          boolean known = TallyOption.ofKey(key).isPresent();
          if (known) {
            own.put(key, value);
          } else if (!ofCatalog || given.containsKey(CATALOG_OPTION_PREFIX + key)) {
            throw unknown(key);
          }
        });
    return own;
  }

  /** As Spark does it for what is not of a catalog, by lower-case name; unknown ones are errors. */
  private static Map<String, String> ofSession(Map<String, String> session) {
    Map<String, String> settings = new HashMap<>();
    session.forEach(
        (key, value) -> {
          if (key.startsWith(SPARK_PREFIX)) {
            settings.put(key.substring(SPARK_PREFIX.length()), value);
          }
        });
    Map<String, String> own = byName(settings);
    for (String name : own.keySet()) {
      if (TallyOption.ofKey(name).isEmpty()) {
        throw unknown(name);
      }
    }
    return own;
  }

  /** By lower-case name; an option that is so given twice, with different values, is an error. */
  private static Map<String, String> byName(Map<String, String> options) {
    Map<String, String> byName = new HashMap<>();
    options.forEach(
        (key, value) -> {
          String name = key.toLowerCase(Locale.ROOT);
          String other = byName.put(name, value);
          if (other != null && !other.equals(value) && TallyOption.ofKey(name).isPresent()) {
            throw givenTwice(name, value, other);
          }
        });
    return byName;
  }

  /** Properties that a catalog has kept, with the mark: CREATE TABLE … LIKE leaves it out. */
  static Map<String, String> ofCatalog(Map<String, String> properties) {
    Map<String, String> marked = new HashMap<>(properties);
    marked.putIfAbsent(CATALOG_MARK, "tally");
    return marked;
  }

  /**
   * The properties of a table as they are in force: ALTER TABLE changes a property, but not the
   * copy of it that was once an option, which SHOW CREATE TABLE shows.
   */
  static Map<String, String> inForce(Map<String, String> properties) {
    Map<String, String> inForce = new HashMap<>(properties);
    for (String key : properties.keySet()) {
      if (key.startsWith(CATALOG_OPTION_PREFIX)) {
        String value = properties.get(key.substring(CATALOG_OPTION_PREFIX.length()));
        if (value == null) {
          inForce.remove(key);
        } else {
          inForce.put(key, value);
        }
      }
    }
    return Map.copyOf(inForce);
  }

  /** Spark compares names of options without regard to case, names of properties with it. */
  private static TallyException givenTwice(String key, String value, String other) {
    return invalid(
        "The option \""
            + key
            + "\" is given twice, in different case, as \""
            + value
            + "\" and as \""
            + other
            + "\"; keep one of them.");
  }

  private static TallyException unknown(String key) {
    List<String> known = Arrays.stream(TallyOption.values()).map(TallyOption::key).toList();
    if (key.equals("path") || key.equals("paths")) {
      return invalid(
          "The data source tally reads no path. Give the nodes with the option \"endpoints\" and the"
              + " table with the option \"table\", and call load() without an argument.");
    }
    return invalid(
        "The data source tally has no option \""
            + key
            + "\""
            + NearestName.of(key, known)
                .map(near -> "; did you mean \"" + near + "\"?")
                .orElse(". It has " + String.join(", ", known) + "."));
  }

  private static TallyException invalid(String message) {
    return new TallyException(ErrorCode.INVALID_REQUEST, message);
  }

  private record Values(Map<String, String> options, Map<String, String> session) {

    String text(TallyOption option) {
      return Optional.ofNullable(options.get(option.key()))
          .or(() -> Optional.ofNullable(session.get(option.key())))
          .or(option::defaultValue)
          .map(String::strip)
          .filter(value -> !value.isEmpty())
          .orElseThrow(
              () ->
                  invalid(
                      "The data source tally needs the option \""
                          + option.key()
                          + "\" ("
                          + option.unit()
                          + "), or the setting "
                          + SPARK_PREFIX
                          + option.key()
                          + " of the session."));
    }

    long number(TallyOption option, long least, long greatest) {
      String text = text(option);
      try {
        long value = Long.parseLong(text);
        if (value >= least && value <= greatest) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw new TallyException(
            ErrorCode.INVALID_REQUEST, wrong(option, text, least, greatest), e);
      }
      throw invalid(wrong(option, text, least, greatest));
    }

    private static String wrong(TallyOption option, String text, long least, long greatest) {
      return "The option \""
          + option.key()
          + "\" is \""
          + text
          + "\", but must be a number of "
          + option.unit()
          + " from "
          + least
          + " to "
          + greatest
          + ".";
    }

    boolean flag(TallyOption option) {
      String text = text(option);
      if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
        return Boolean.parseBoolean(text);
      }
      throw invalid(
          "The option \"" + option.key() + "\" is \"" + text + "\", but must be true or false.");
    }

    BodyCodec codec(TallyOption option) {
      String text = text(option);
      for (BodyCodec codec : BodyCodec.values()) {
        if (text.equalsIgnoreCase(codec.optionName())) {
          return codec;
        }
      }
      List<String> known = Arrays.stream(BodyCodec.values()).map(BodyCodec::optionName).toList();
      throw invalid(
          "The option \""
              + option.key()
              + "\" is \""
              + text
              + "\", but must be "
              + option.unit()
              + NearestName.of(text, known)
                  .map(near -> "; did you mean \"" + near + "\"?")
                  .orElse("."));
    }
  }
}
