package io.tally.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tally.rpc.BodyCodec;
import io.tally.rpc.TallyException;
import io.tally.rpc.client.ReconnectPolicy;
import io.tally.rpc.client.ScanOptions;
import io.tally.rpc.v1.ErrorCode;
import io.tally.spark.read.ReadSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class TallyOptionsTest {
  private static TallyOptions of(Map<String, String> options, Map<String, String> session) {
    Map<String, String> all = new HashMap<>(options);
    for (String required : List.of("endpoints a:1", "table t")) {
      String key = required.substring(0, required.indexOf(' '));
      if (options.keySet().stream().noneMatch(key::equalsIgnoreCase)) {
        all.put(key, required.substring(key.length() + 1));
      }
    }
    return TallyOptions.of(all, session);
  }

  @Test
  void defaults() {
    assertEquals(
        new TallyOptions(
            "a:1",
            "t",
            10_000,
            new ReadSettings(ScanOptions.defaults(), 1_000_000, true, true, BodyCodec.NONE)),
        of(Map.of(), Map.of()));
  }

  @Test
  void everyOptionIsRead() {
    Map<String, String> options =
        Map.ofEntries(
            Map.entry("endpoints", "b:2, c:3"),
            Map.entry("Table", "Flights"),
            Map.entry("MAX-BATCH-BYTES", "2048"),
            Map.entry("window-bytes", "4096"),
            Map.entry("process-window-bytes", "1000000000000"),
            Map.entry("max-row-bytes", "8192"),
            Map.entry("silence-timeout-ms", "500"),
            Map.entry("reconnect-tries", "3"),
            Map.entry("reconnect-backoff-ms", "4"),
            Map.entry("reconnect-backoff-max-ms", "5"),
            Map.entry("describe-timeout-ms", "600"),
            Map.entry("split-rows", "7"),
            Map.entry("push-down", "False"),
            Map.entry("compression", "Lz4"));
    assertEquals(TallyOption.values().length, options.size());
    assertEquals(
        new TallyOptions(
            "b:2, c:3",
            "Flights",
            600,
            new ReadSettings(
                new ScanOptions(
                    2048, 4096, 1_000_000_000_000L, 8192, 500, new ReconnectPolicy(3, 4, 5)),
                7,
                true,
                false,
                BodyCodec.LZ4)),
        TallyOptions.of(options, Map.of()));
  }

  @Test
  void anOptionComesBeforeTheSessionAndTheSessionBeforeTheDefault() {
    Map<String, String> session =
        Map.of(
            "spark.datasource.tally.split-rows", "2", "spark.datasource.tally.push-down", "false");
    assertFalse(of(Map.of(), session).settings().pushDown());
    assertEquals(2, of(Map.of(), session).settings().splitRows());
    assertEquals(3, of(Map.of("split-rows", "3"), session).settings().splitRows());
  }

  @Test
  void aSettingOfTheSessionIsFoundInAnyCaseAndAWrongOneSaysSo() {
    assertFalse(
        of(Map.of(), Map.of("spark.datasource.tally.Push-Down", "false")).settings().pushDown());
    TallyException e =
        assertThrows(
            TallyException.class,
            () -> of(Map.of(), Map.of("spark.datasource.tally.pushdown", "false")));
    assertEquals(ErrorCode.INVALID_REQUEST, e.code());
    assertTrue(e.getMessage().contains("did you mean \"push-down\"?"), e.getMessage());
    Map<String, String> twice =
        Map.of(
            "spark.datasource.tally.push-down",
            "false",
            "spark.datasource.tally.Push-Down",
            "true");
    e = assertThrows(TallyException.class, () -> of(Map.of(), twice));
    assertTrue(e.getMessage().contains("is given twice, in different case, as"), e.getMessage());
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        arguments(
            Map.of("splitrows", "5"), "no option \"splitrows\"; did you mean \"split-rows\"?"),
        arguments(Map.of("colour", "red"), "It has endpoints, table, push-down"),
        arguments(Map.of("path", "/data"), "reads no path"),
        arguments(Map.of("table", "a", "Table", "b"), "is given twice, in different case, as"),
        arguments(Map.of("split-rows", "many"), "\"many\", but must be a number of rows"),
        arguments(Map.of("split-rows", "0"), "from 1 to"),
        arguments(Map.of("window-bytes", "1024"), "from 1048576 to"),
        arguments(Map.of("push-down", "maybe"), "must be true or false"),
        arguments(Map.of("compression", "lz44"), "be none, lz4 or zstd; did you mean \"lz4\"?"),
        arguments(Map.of("compression", "snappy"), "\"snappy\", but must be none, lz4 or zstd."),
        arguments(Map.of("table", " "), "needs the option \"table\" (name)"));
  }

  @ParameterizedTest
  @MethodSource
  void wrong(Map<String, String> options, String message) {
    TallyException error = assertThrows(TallyException.class, () -> of(options, Map.of()));
    assertEquals(ErrorCode.INVALID_REQUEST, error.code());
    assertTrue(error.getMessage().contains(message), error::getMessage);
  }

  @Test
  void propertiesOfATableOfACatalogAreNoOptions() {
    Map<String, String> properties =
        Map.of(
            "provider", "tally",
            "owner", "me",
            "path", "file:/warehouse/t",
            "split-rows", "4",
            "option.split-rows", "4");
    assertEquals(4, of(properties, Map.of()).settings().splitRows());
    Map<String, String> misspelt = new HashMap<>(properties);
    misspelt.putAll(Map.of("spilt-rows", "5", "option.spilt-rows", "5"));
    TallyException error = assertThrows(TallyException.class, () -> of(misspelt, Map.of()));
    assertTrue(error.getMessage().contains("split-rows"), error::getMessage);
  }
}
