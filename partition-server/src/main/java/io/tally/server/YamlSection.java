package io.tally.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.tally.rpc.NearestName;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * One mapping of the YAML file, in which {@link YamlTree} left scalars as they are written: hands
 * on the values of its keys, and reports those that are missing, of the wrong kind or unknown. A
 * value that was reported reads as a default, so that reading goes on and finds the other problems
 * too.
 */
final class YamlSection {
  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?\\d{1,40}");

  private final String path;
  private final JsonNode node;
  private final YamlProblems problems;
  private final TreeSet<String> askedFor = new TreeSet<>();

  /** Where the problems of this section begin; -1 before it was asked for anything. */
  private int firstProblem = -1;

  YamlSection(String path, JsonNode node, YamlProblems problems) {
    this.path = path;
    this.problems = problems;
    if (node.isObject()) {
      this.node = node;
    } else {
      problems.add(path, "expected keys and values, but found " + describe(node));
      this.node = JsonNodeFactory.instance.objectNode();
    }
  }

  /** Where a key of this section stands in the file. */
  String pathOf(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  void problem(String message) {
    problems.add(path, message);
  }

  void problem(String key, String message) {
    problems.add(pathOf(key), message);
  }

  boolean has(String key) {
    return value(key).isPresent();
  }

  String requiredText(String key) {
    if (!has(key)) {
      problem("the key " + key + " is missing; add it");
      return "";
    }
    return text(key).orElse("");
  }

  Optional<String> text(String key) {
    return value(key).flatMap(found -> scalar(pathOf(key), found));
  }

  boolean flag(String key, boolean byDefault) {
    Optional<JsonNode> found = value(key);
    if (found.isEmpty()) {
      return byDefault;
    }
    return switch (found.get().asText()) {
      case "true" -> true;
      case "false" -> false;
      default -> {
        problem(key, "expected true or false, but found " + describe(found.get()));
        yield byDefault;
      }
    };
  }

  int requiredInteger(String key, int smallest, int largest) {
    if (!has(key)) {
      problem("the key " + key + " is missing; add it");
    }
    return integer(key, smallest, smallest, largest);
  }

  int integer(String key, int byDefault, int smallest, int largest) {
    return (int) integer(key, (long) byDefault, smallest, largest);
  }

  long integer(String key, long byDefault, long smallest, long largest) {
    Optional<JsonNode> found = value(key);
    if (found.isEmpty()) {
      return byDefault;
    }
    String digits = found.get().asText();
    if (!WHOLE_NUMBER.matcher(digits).matches()) {
      problem(
          key, "expected " + wholeNumber(key, byDefault) + ", but found " + describe(found.get()));
      return byDefault;
    }
    BigInteger number = new BigInteger(digits);
    if (number.compareTo(BigInteger.valueOf(smallest)) < 0
        || number.compareTo(BigInteger.valueOf(largest)) > 0) {
      problem(
          key,
          String.format(
              "%s is out of range; write a number from %d to %d", digits, smallest, largest));
      return byDefault;
    }
    return number.longValueExact();
  }

  /** What a number of the unit that a key's name ends with looks like. */
  private static String wholeNumber(String key, long example) {
    String unit = key.endsWith("-bytes") ? "bytes" : key.endsWith("-millis") ? "milliseconds" : "";
    return unit.isEmpty()
        ? "a whole number"
        : "a whole number of " + unit + " without a unit, such as " + example;
  }

  /** The section below a key; an empty one if there is none. */
  Optional<YamlSection> section(String key) {
    return value(key).map(found -> new YamlSection(pathOf(key), found, problems));
  }

  List<YamlSection> sections(String key) {
    List<YamlSection> sections = new ArrayList<>();
    List<JsonNode> items = items(key);
    for (int i = 0; i < items.size(); i++) {
      sections.add(new YamlSection(pathOf(key) + "[" + i + "]", items.get(i), problems));
    }
    return sections;
  }

  /** A list of texts, in which an empty text stands for null. */
  List<Optional<String>> textsOrNulls(String key) {
    List<Optional<String>> texts = new ArrayList<>();
    List<JsonNode> items = items(key);
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i).isNull()) {
        texts.add(Optional.empty());
      } else {
        scalar(pathOf(key) + "[" + i + "]", items.get(i)).map(Optional::of).ifPresent(texts::add);
      }
    }
    return texts;
  }

  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    List<Optional<String>> found = textsOrNulls(key);
    for (int i = 0; i < found.size(); i++) {
      if (found.get(i).isEmpty()) {
        problems.add(pathOf(key) + "[" + i + "]", "expected a text, but found nothing");
      }
      found.get(i).ifPresent(texts::add);
    }
    return texts;
  }

  /** One text, or a list of them. */
  List<String> textOrTexts(String key) {
    Optional<JsonNode> found = value(key);
    return found.isPresent() && !found.get().isArray() ? text(key).stream().toList() : texts(key);
  }

  /** All keys of this section with their texts. */
  Map<String, String> map() {
    Map<String, String> map = new LinkedHashMap<>();
    node.fieldNames().forEachRemaining(key -> text(key).ifPresent(text -> map.put(key, text)));
    return map;
  }

  /**
   * To be called last: reports the keys that nobody asked for, in front of what else is wrong here,
   * which often follows from them.
   */
  void rejectUnknownKeys() {
    int position = firstProblem;
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      String key = entry.getKey();
      if (!askedFor.contains(key)) {
        problems.insert(
            position++,
            path,
            "unknown key "
                + key
                + NearestName.of(key, askedFor)
                    .map(near -> "; did you mean " + near + "?")
                    .orElse("; the keys here are " + String.join(", ", askedFor)));
      }
    }
  }

  private Optional<JsonNode> value(String key) {
    if (firstProblem < 0) {
      firstProblem = problems.size();
    }
    askedFor.add(key);
    return Optional.ofNullable(node.get(key)).filter(found -> !found.isNull());
  }

  private List<JsonNode> items(String key) {
    Optional<JsonNode> found = value(key);
    if (found.isPresent() && !found.get().isArray()) {
      problem(key, "expected a list, but found " + describe(found.get()));
      return List.of();
    }
    List<JsonNode> items = new ArrayList<>();
    found.ifPresent(list -> list.forEach(items::add));
    return items;
  }

  private Optional<String> scalar(String where, JsonNode found) {
    if (!found.isValueNode() || found.asText().isEmpty()) {
      problems.add(where, "expected a text, but found " + describe(found));
      return Optional.empty();
    }
    return Optional.of(found.asText());
  }

  private static String describe(JsonNode found) {
    if (found.isObject()) {
      return "keys and values";
    } else if (found.isArray()) {
      return "a list";
    } else if (found.isNull() || found.isMissingNode() || found.asText().isEmpty()) {
      return "nothing";
    }
    return found.asText();
  }
}
