package io.tally.server;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with a configuration, so that one start tells all of it. */
final class YamlProblems {
  private final String fileName;
  private final List<String> lines = new ArrayList<>();

  YamlProblems(String fileName) {
    this.fileName = fileName;
  }

  /**
   * @param path where in the file, as {@code tables[0].name}; empty: the file as a whole
   * @param problem what is wrong and what to do
   */
  void add(String path, String problem) {
    lines.add(line(path, problem));
  }

  /** How many there are by now. */
  int size() {
    return lines.size();
  }

  /** As {@link #add}, in front of those that came after the first {@code position}. */
  void insert(int position, String path, String problem) {
    lines.add(position, line(path, problem));
  }

  void throwIfAny() throws ConfigurationException {
    if (!lines.isEmpty()) {
      throw new ConfigurationException(lines);
    }
  }

  private String line(String path, String problem) {
    return fileName + ": " + (path.isEmpty() ? "" : path + ": ") + problem;
  }
}
