package io.tally.server;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes a value of the YAML file as it is written and hands it on with the environment's own in
 * place of <code>${NAME}</code> and <code>${NAME:-otherwise}</code>, so that one file can serve
 * several nodes. They are as in a shell: an empty variable counts as missing where there is an
 * {@code otherwise}. <code>$${</code> stands for the characters <code>${</code>.
 */
final class Placeholders {
  private static final Pattern OPENING = Pattern.compile("\\$(\\$?)\\{");
  private static final Pattern INSIDE =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\}");

  private final Map<String, String> environment;
  private final YamlProblems problems;

  Placeholders(Map<String, String> environment, YamlProblems problems) {
    this.environment = Map.copyOf(environment);
    this.problems = problems;
  }

  /**
   * @param path where in the file, for what is reported
   */
  String fill(String path, String written) {
    StringBuilder filled = new StringBuilder();
    Matcher opening = OPENING.matcher(written);
    Matcher inside = INSIDE.matcher(written);
    int done = 0;
    while (opening.find(done)) {
      filled.append(written, done, opening.start());
      done = opening.end();
      if (!opening.group(1).isEmpty()) {
        filled.append("${");
      } else if (inside.region(done, written.length()).lookingAt()) {
        filled.append(value(path, inside));
        done = inside.end();
      } else {
        problems.add(
            path,
            "a placeholder is ${NAME} or ${NAME:-otherwise}, but found "
                + written.substring(opening.start())
                + "; correct it, or write $${ for the characters ${");
      }
    }
    return filled.append(written, done, written.length()).toString();
  }

  private String value(String path, Matcher placeholder) {
    String name = placeholder.group(1);
    String otherwise = placeholder.group(2);
    String found = environment.get(name);
    if (otherwise != null) {
      return found == null || found.isEmpty() ? otherwise : found;
    }
    if (found == null) {
      problems.add(
          path,
          String.format(
              "the environment has no variable %s; set it, or write ${%s:-otherwise} here",
              name, name));
      return "";
    }
    return found;
  }
}
