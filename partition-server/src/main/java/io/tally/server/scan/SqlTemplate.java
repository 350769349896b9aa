package io.tally.server.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQL with places to fill in: {@code {0}}, {@code {1}}, … for the arguments of a call and {@code
 * {r}} for the name of its result's type. Immutable.
 */
final class SqlTemplate implements FunctionSql.Rendering {
  private static final Pattern PLACE = Pattern.compile("\\{(r|\\d)}");
  private static final int RESULT = -1;

  /** Texts and, between each two of them, a place: the number of an argument, or RESULT. */
  private final List<String> texts = new ArrayList<>();

  private final List<Integer> places = new ArrayList<>();

  SqlTemplate(String template) {
    Matcher matcher = PLACE.matcher(template);
    int end = 0;
    while (matcher.find()) {
      texts.add(template.substring(end, matcher.start()));
      places.add(matcher.group(1).equals("r") ? RESULT : Integer.parseInt(matcher.group(1)));
      end = matcher.end();
    }
    texts.add(template.substring(end));
  }

  @Override
  public void append(Sql sql, RenderedCall call) {
    for (int i = 0; i < places.size(); i++) {
      sql.append(texts.get(i));
      int place = places.get(i);
      if (place == RESULT) {
        sql.append(call.result().sql());
      } else {
        sql.append(call.arguments().get(place));
      }
    }
    sql.append(texts.get(texts.size() - 1));
  }
}
