package io.tally.rpc;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of a type that Arrow's type alone does not tell, as the metadata of a field holds it:
 * see {@code DataType} in {@code expression.proto}.
 *
 * @param text in lower case, but for the name of a collation: {@code char(3)}
 */
public record SqlTypeName(String text) {
  /** Of a value in the binary encoding of Parquet's variants. */
  public static final SqlTypeName VARIANT = new SqlTypeName("variant");

  /** Key in the metadata of an Arrow field. */
  public static final String METADATA_KEY = "tally.sql_type";

  private static final String COLLATED = "string collate ";
  private static final Pattern CHAR = Pattern.compile("\\bchar\\(");
  private static final Pattern CHAR_OR_VARCHAR = Pattern.compile("char\\(\\d+\\)");

  /** The name that the metadata of a field holds. */
  public static Optional<SqlTypeName> of(Map<String, String> metadata) {
    return Optional.ofNullable(metadata.get(METADATA_KEY)).map(SqlTypeName::new);
  }

  /** A string in a collation other than that of the bytes. */
  public static SqlTypeName collated(String collation) {
    return new SqlTypeName(COLLATED + collation);
  }

  /** Whether it is one of the year-month or day-time intervals. */
  public boolean isInterval() {
    return text.startsWith("interval ");
  }

  /** Whether values are strings that are not compared by their bytes. */
  public boolean isCollated() {
    return text.startsWith(COLLATED);
  }

  /** Whether it is CHAR or VARCHAR, or has them inside. */
  public boolean isCharOrVarchar() {
    return CHAR_OR_VARCHAR.matcher(text).find();
  }

  /** Whether it is VARCHAR, or has it inside, and no CHAR: readers need not know its length. */
  public boolean isOnlyVarchar() {
    return isCharOrVarchar() && !CHAR.matcher(text).find();
  }

  /** As the metadata of a field. */
  public Map<String, String> toMetadata() {
    return Map.of(METADATA_KEY, text);
  }
}
