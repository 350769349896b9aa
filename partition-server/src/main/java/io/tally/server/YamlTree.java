package io.tally.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Takes a YAML file and hands on its tree with every scalar as the text that is written there: a
 * partition may be called {@code 007} or {@code 2001.10}, and must not become 7 or 2001.1. Only
 * {@link Placeholders} are filled in.
 */
final class YamlTree {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final YAMLParser parser;
  private final Placeholders placeholders;
  private final YamlProblems problems;

  private YamlTree(YAMLParser parser, Placeholders placeholders, YamlProblems problems) {
    this.parser = parser;
    this.placeholders = placeholders;
    this.problems = problems;
  }

  /** The tree, or an empty mapping after reporting why there is none. */
  static JsonNode read(Path file, Map<String, String> environment, YamlProblems problems) {
    if (!Files.exists(file)) {
      problems.add("", "the file does not exist; check the path given with --config");
      return NODES.objectNode();
    }
    try (YAMLParser parser = new YAMLFactory().createParser(file.toFile())) {
      if (parser.nextToken() == null) {
        problems.add("", "the file is empty; conf/node.example.yaml shows what belongs into it");
        return NODES.objectNode();
      }
      Placeholders placeholders = new Placeholders(environment, problems);
      JsonNode tree = new YamlTree(parser, placeholders, problems).value("");
      if (parser.nextToken() != null) {
        problems.add("", "the file holds several YAML documents; keep one");
      }
      return tree;
    } catch (JsonProcessingException e) {
      problems.add("", "not YAML: " + firstLines(e));
    } catch (IOException e) {
      problems.add("", "the file cannot be read: " + e.getMessage() + "; check its permissions");
    }
    return NODES.objectNode();
  }

  private JsonNode value(String path) throws IOException {
    if (parser.isCurrentAlias()) {
      problems.add(
          path, "aliases are not supported; repeat what *" + parser.getText() + " stands for");
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(path);
      case START_ARRAY -> array(path);
      case VALUE_NULL -> NODES.nullNode();
      default -> NODES.textNode(placeholders.fill(path, parser.getText()));
    };
  }

  private JsonNode object(String path) throws IOException {
    ObjectNode object = NODES.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      parser.nextToken();
      if (object.has(key)) {
        problems.add(path, "the key " + key + " is there twice; keep one");
      }
      object.set(key, value(path.isEmpty() ? key : path + "." + key));
    }
    return object;
  }

  private JsonNode array(String path) throws IOException {
    ArrayNode array = NODES.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(path + "[" + array.size() + "]"));
    }
    return array;
  }

  /** What is wrong and where, in one line. */
  private static String firstLines(JsonProcessingException e) {
    String message = e.getOriginalMessage().lines().findFirst().orElse("").strip();
    return e.getLocation() == null
        ? message
        : String.format(
            "%s at line %d, column %d; correct it there",
            message, e.getLocation().getLineNr(), e.getLocation().getColumnNr());
  }
}
