package io.tally.server.table;

import io.tally.server.table.DuckType.ArrayType;
import io.tally.server.table.DuckType.DecimalType;
import io.tally.server.table.DuckType.EnumType;
import io.tally.server.table.DuckType.ListType;
import io.tally.server.table.DuckType.MapType;
import io.tally.server.table.DuckType.Plain;
import io.tally.server.table.DuckType.StructField;
import io.tally.server.table.DuckType.StructType;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the text of a type from DESCRIBE and hands on a {@link DuckType}. Types that are not looked
 * into (UNION, TUPLE, …) come back as {@link Plain} with their whole text.
 */
final class DuckTypeParser {
  private final String text;
  private int position;

  private DuckTypeParser(String text) {
    this.text = text;
  }

  static DuckType parse(String text) {
    DuckTypeParser parser = new DuckTypeParser(text);
    DuckType type = parser.type();
    if (parser.position != text.length()) {
      throw parser.unexpected();
    }
    return type;
  }

  private DuckType type() {
    DuckType type = base();
    while (peek('[')) {
      expect('[');
      int start = position;
      skipTo(']');
      String length = text.substring(start, position);
      expect(']');
      type = length.isEmpty() ? new ListType(type) : new ArrayType(type, Integer.parseInt(length));
    }
    return type;
  }

  private DuckType base() {
    int start = position;
    while (position < text.length() && "([,)".indexOf(text.charAt(position)) < 0) {
      position++;
    }
    String word = text.substring(start, position);
    if (!peek('(')) {
      return new Plain(word);
    }
    return switch (word) {
      case "DECIMAL" -> decimal();
      case "STRUCT" -> struct();
      case "MAP" -> map();
      default -> {
        skipParentheses();
        String whole = text.substring(start, position);
        yield word.equals("ENUM") ? new EnumType(whole) : new Plain(whole);
      }
    };
  }

  private DuckType decimal() {
    expect('(');
    int start = position;
    skipTo(')');
    String[] numbers = text.substring(start, position).split(",", -1);
    expect(')');
    return new DecimalType(
        Integer.parseInt(numbers[0].strip()), Integer.parseInt(numbers[1].strip()));
  }

  private DuckType struct() {
    List<StructField> fields = new ArrayList<>();
    do {
      position++; // the opening parenthesis, or a comma
      skipSpaces();
      String name = name();
      skipSpaces();
      fields.add(new StructField(name, type()));
    } while (peek(','));
    expect(')');
    return new StructType(fields);
  }

  private DuckType map() {
    expect('(');
    DuckType key = type();
    expect(',');
    skipSpaces();
    DuckType value = type();
    expect(')');
    return new MapType(key, value);
  }

  private String name() {
    if (!peek('"')) {
      int start = position;
      skipTo(' ');
      return text.substring(start, position);
    }
    int start = position;
    skipQuoted('"');
    return text.substring(start + 1, position - 1).replace("\"\"", "\"");
  }

  private void skipParentheses() {
    int depth = 0;
    do {
      char c = text.charAt(position);
      if (c == '\'' || c == '"') {
        skipQuoted(c);
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      position++;
    } while (depth > 0 && position < text.length());
    if (depth > 0) {
      throw unexpected();
    }
  }

  /** Behind the closing quote; a doubled quote is part of the text. */
  private void skipQuoted(char quote) {
    position++;
    while (position < text.length()) {
      if (text.charAt(position++) == quote) {
        if (!peek(quote)) {
          return;
        }
        position++;
      }
    }
    throw unexpected();
  }

  private void skipTo(char end) {
    int found = text.indexOf(end, position);
    if (found < 0) {
      throw unexpected();
    }
    position = found;
  }

  private void skipSpaces() {
    while (peek(' ')) {
      position++;
    }
  }

  private boolean peek(char c) {
    return position < text.length() && text.charAt(position) == c;
  }

  private void expect(char c) {
    if (!peek(c)) {
      throw unexpected();
    }
    position++;
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException(
        "Cannot read the DuckDB type " + text + " at character " + position);
  }
}
