package io.tally.rpc;

/**
 * Takes text that came from the other side and hands on what may stand in a message or a log: one
 * line, of bounded length, in which nothing passes for what it is not.
 */
public final class ShownText {
  /** Longer names are cut. */
  public static final int MAX_NAME_CHARS = 100;

  private ShownText() {}

  /** A name to be put between quotation marks: they are escaped in it. */
  public static String name(String name) {
    return line(
        cut(name, MAX_NAME_CHARS).replace("\\", "\\\\").replace("\"", "\\\""), Integer.MAX_VALUE);
  }

  /** Any text, cut to {@code maxChars} and with control characters escaped. */
  public static String line(String text, int maxChars) {
    String cut = cut(text, maxChars);
    if (cut.codePoints().allMatch(ShownText::isShown)) {
      return cut;
    }
    StringBuilder shown = new StringBuilder();
    cut.chars()
        .forEach(
            c -> {
              if (isShown(c) || Character.isSurrogate((char) c)) {
                shown.append((char) c);
              } else {
                shown.append(String.format("\\u%04x", c));
              }
            });
    return shown.toString();
  }

  private static String cut(String text, int maxChars) {
    return text.length() <= maxChars ? text : text.substring(0, maxChars - 1) + "…";
  }

  private static boolean isShown(int codePoint) {
    return switch (Character.getType(codePoint)) {
      // Format characters can turn round the direction in which a line is shown.
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
