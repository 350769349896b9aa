package io.tally.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/troubleshooting.md has a section for each code, with cause and cure, and shows messages and
 * metrics as the code has them.
 */
class TroubleshootingTest {
  private static final Pattern SECTION =
      Pattern.compile("^### `([A-Z_]+)`\\n(.*?)(?=^##)", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern QUOTE = Pattern.compile("^> (.*)$", Pattern.MULTILINE);
  private static final Pattern METRIC =
      Pattern.compile("`((?:rows|bytes|batches|wait|conn|scans) [^`]*)`");
  private static final String RETRYABLE = "\n*May pass by itself.*\n";

  /** Shorter pieces of a message would be found anywhere. */
  private static final int SHORTEST_PIECE_CHARS = 4;

  @Test
  void everyCodeHasItsCauseAndCure() throws IOException {
    Map<String, String> sections = new TreeMap<>();
    // A last heading, for the end of the last section.
    Matcher section = SECTION.matcher(page() + "\n## End\n");
    while (section.find()) {
      sections.put(section.group(1), section.group(2));
    }
    Set<String> codes =
        Arrays.stream(ErrorCode.values())
            .filter(it -> it != ErrorCode.UNRECOGNIZED)
            .filter(it -> it != ErrorCode.ERROR_CODE_UNSPECIFIED)
            .map(ErrorCode::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(codes, sections.keySet());
    sections.forEach(
        (code, text) -> {
          assertTrue(QUOTE.matcher(text).find(), () -> code + " shows no message");
          assertTrue(text.contains("**Cause.** "), () -> code + " has no cause");
          assertTrue(text.contains("**Cure.** "), () -> code + " has no cure");
          assertEquals(
              new TallyException(ErrorCode.valueOf(code), "").retryable(),
              text.contains(RETRYABLE),
              () -> code + ": whether it may pass by itself");
        });
  }

  /** Piece by piece: an ellipsis stands for what is filled in. */
  @Test
  void messagesAndMetricsAreThoseOfTheCode() throws IOException {
    String texts = textsInSources();
    Set<String> unknown = new TreeSet<>();
    int pieces = 0;
    Matcher shown = Pattern.compile(QUOTE + "|" + METRIC, Pattern.MULTILINE).matcher(page());
    while (shown.find()) {
      String text = shown.group(1) != null ? shown.group(1) : shown.group(2);
      for (String piece : text.split("…", -1)) {
        if (piece.strip().length() >= SHORTEST_PIECE_CHARS) {
          pieces++;
          if (!texts.contains(piece.strip())) {
            unknown.add(piece);
          }
        }
      }
    }
    assertTrue(pieces > ErrorCode.values().length, "the page shows few messages");
    assertEquals(Set.of(), unknown);
  }

  /** All string literals, joined where the code joins them, with one sign for what is filled in. */
  private static String textsInSources() throws IOException {
    StringBuilder texts = new StringBuilder();
    for (Path file : SourceFiles.endingWith(".java")) {
      if (file.toString().contains("/src/main/java/io/tally/")) {
        texts.append(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
      }
    }
    return texts.toString().replace("\\\"", "\"");
  }

  private static String page() throws IOException {
    return Files.readString(Home.root().resolve("docs/troubleshooting.md"));
  }
}
