package io.tally.server.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tally.rpc.SqlTypeName;
import io.tally.server.table.DuckType.Named;
import io.tally.server.table.DuckType.Plain;
import io.tally.server.table.DuckType.StructType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the columns of a Parquet file that Spark wrote, and hands them on as what Spark will read
 * them as. Parquet has no type for intervals, collations, CHAR and VARCHAR; Spark keeps its own
 * schema in the file ({@code ParquetReadSupport.SPARK_METADATA_KEY}) and believes that.
 */
final class SparkParquetSchema {
  private static final Logger LOG = LoggerFactory.getLogger(SparkParquetSchema.class);

  private static final String KEY = "org.apache.spark.sql.parquet.row.metadata";

  /** {@code DataType.COLLATIONS_METADATA_KEY}: collations by the path of a string in its column. */
  private static final String COLLATIONS = "__COLLATIONS";

  /** {@code CharVarcharUtils}: the whole type of a column with CHAR or VARCHAR. */
  private static final String CHAR_OR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING";

  private static final Pattern MONTHS = Pattern.compile("interval (year|month)( to month)?");
  private static final Pattern MICROS =
      Pattern.compile("interval (day|hour|minute|second)( to (hour|minute|second))?");
  private static final Pattern CHARACTERS = Pattern.compile("(var)?char\\(\\d+\\)");
  private static final Pattern TIME = Pattern.compile("time\\(\\d\\)");

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private SparkParquetSchema() {}

  static List<StoredColumn> apply(DuckDb database, Path file, List<StoredColumn> columns)
      throws CatalogException {
    List<String> texts = new ArrayList<>();
    database.query(
        "SELECT decode(value) FROM parquet_kv_metadata("
            + SqlText.pattern(file)
            + ") WHERE decode(key) = "
            + SqlText.text(KEY),
        row -> texts.add(row.getString(1)));
    return texts.isEmpty() ? columns : apply(file, texts.get(0), columns);
  }

  private static List<StoredColumn> apply(Path file, String text, List<StoredColumn> columns) {
    Map<String, JsonNode> fields;
    try {
      fields = fields(MAPPER.readTree(text));
    } catch (JsonProcessingException e) {
      // Spark, too, then takes the types that Parquet has.
      LOG.warn("{}: the schema that Spark left in it is no JSON, and is not used", file, e);
      return columns;
    }
    List<StoredColumn> read = new ArrayList<>();
    for (StoredColumn column : columns) {
      JsonNode field = fields.get(column.name());
      read.add(field == null ? column : column.meaning(column(column.meaning(), field)));
    }
    return read;
  }

  private static DuckType column(DuckType type, JsonNode field) {
    String raw = field.path("metadata").path(CHAR_OR_VARCHAR).asText();
    DuckType read = field(type, field);
    SqlTypeName name = new SqlTypeName(raw);
    return name.isCharOrVarchar() ? new Named(read, name) : read;
  }

  private static DuckType field(DuckType type, JsonNode field) {
    Map<String, String> collations = new HashMap<>();
    field
        .path("metadata")
        .path(COLLATIONS)
        .properties()
        .forEach(
            entry -> {
              String withProvider = entry.getValue().asText();
              collations.put(entry.getKey(), withProvider.substring(withProvider.indexOf('.') + 1));
            });
    return read(type, field.path("type"), collations, field.path("name").asText());
  }

  /**
   * @param path where the type stands in its column, as Spark names it
   */
  private static DuckType read(
      DuckType type, JsonNode written, Map<String, String> collations, String path) {
    if (written.isTextual()) {
      return name(type, written.asText(), Optional.ofNullable(collations.get(path)))
          .<DuckType>map(name -> new Named(type, name))
          .orElse(type);
    }
    if (type instanceof StructType struct) {
      Map<String, JsonNode> fields = fields(written);
      List<DuckType> parts = new ArrayList<>();
      for (DuckType.StructField part : struct.fields()) {
        JsonNode field = fields.get(part.name());
        parts.add(field == null ? part.type() : field(part.type(), field));
      }
      return struct.withParts(parts);
    }
    List<String> names =
        type instanceof DuckType.MapType ? List.of("key", "value") : List.of("element");
    List<DuckType> parts = new ArrayList<>();
    for (int i = 0; i < type.parts().size(); i++) {
      String name = names.get(i);
      parts.add(
          read(type.parts().get(i), written.path(name + "Type"), collations, path + "." + name));
    }
    return type.withParts(parts);
  }

  /** What to call the type; empty if it is clear, or if the file holds something else. */
  private static Optional<SqlTypeName> name(
      DuckType type, String written, Optional<String> collation) {
    if (type.equals(Plain.VARCHAR)) {
      if (collation.isPresent()) {
        return collation.map(SqlTypeName::collated);
      }
      SqlTypeName name = new SqlTypeName(written);
      return name.isCollated() || CHARACTERS.matcher(written).matches()
          ? Optional.of(name)
          : Optional.empty();
    }
    boolean named =
        switch (type.sql()) {
          case "INTEGER" -> MONTHS.matcher(written).matches();
          case "BIGINT" -> MICROS.matcher(written).matches();
          case "TIME" -> TIME.matcher(written).matches();
          default -> false;
        };
    return named ? Optional.of(new SqlTypeName(written)) : Optional.empty();
  }

  /** The fields of a struct by name. */
  private static Map<String, JsonNode> fields(JsonNode struct) {
    Map<String, JsonNode> fields = new HashMap<>();
    struct.path("fields").forEach(field -> fields.put(field.path("name").asText(), field));
    return fields;
  }
}
