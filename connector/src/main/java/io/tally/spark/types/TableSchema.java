package io.tally.spark.types;

import io.tally.rpc.NearestName;
import io.tally.rpc.SqlTypeName;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.UnreadableColumn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.types.CharType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VarcharType;

/**
 * Takes the schema that the nodes agree on and gives the columns that Spark sees. A column that
 * cannot be read (the node cannot send it, or Spark has no type for it) is there all the same, as a
 * STRING whose comment says why, so that everything that does not need it works. Immutable.
 */
public final class TableSchema {
  /** Where Spark keeps the declared type of CHAR and VARCHAR columns: {@code CharVarcharUtils}. */
  private static final String CHAR_VARCHAR_METADATA_KEY = "__CHAR_VARCHAR_TYPE_STRING";

  private final String table;
  private final Map<String, StructField> fields;
  private final Map<String, Unreadable> unreadable;

  private TableSchema(
      String table, Map<String, StructField> fields, Map<String, Unreadable> unreadable) {
    this.table = table;
    this.fields = fields;
    this.unreadable = Map.copyOf(unreadable);
  }

  /**
   * The columns of {@code arrowSchema} in its order, then those that the nodes cannot send.
   *
   * @param table name for messages
   */
  public static TableSchema of(
      String table, Schema arrowSchema, List<UnreadableColumn> unreadableColumns) {
    Map<String, StructField> fields = new LinkedHashMap<>();
    Map<String, Unreadable> unreadable = new LinkedHashMap<>();
    for (Field field : arrowSchema.getFields()) {
      Optional<DataType> type = ArrowSparkTypes.toSpark(field);
      if (type.isPresent()) {
        fields.put(
            field.getName(),
            DataTypes.createStructField(
                field.getName(), type.get(), field.isNullable(), metadata(field)));
      } else {
        unreadable.put(
            field.getName(),
            new Unreadable("Arrow " + field.getType(), ArrowSparkTypes.reason(field)));
        fields.put(field.getName(), placeholder(field.getName(), unreadable.get(field.getName())));
      }
    }
    for (UnreadableColumn column : unreadableColumns) {
      unreadable.put(column.getName(), new Unreadable(column.getNativeType(), column.getReason()));
      fields.put(column.getName(), placeholder(column.getName(), unreadable.get(column.getName())));
    }
    return new TableSchema(table, fields, unreadable);
  }

  /** CHAR and VARCHAR are strings to Spark whose declared type is in the metadata of the column. */
  private static Metadata metadata(Field field) {
    return SqlTypeName.of(field.getMetadata())
        .filter(SqlTypeName::isCharOrVarchar)
        .map(
            name -> new MetadataBuilder().putString(CHAR_VARCHAR_METADATA_KEY, name.text()).build())
        .orElse(Metadata.empty());
  }

  private static StructField placeholder(String name, Unreadable why) {
    return new StructField(name, DataTypes.StringType, true, Metadata.empty())
        .withComment("Unreadable: " + why.nativeType() + ". " + why.reason());
  }

  /**
   * The columns that a user declared, in the user's order, once each was found to be what the nodes
   * have. Nullability is the nodes'; comments and CHAR/VARCHAR lengths are the user's.
   *
   * @throws TallyException COLUMN_NOT_FOUND or INVALID_REQUEST, naming the column
   */
  public TableSchema declaredAs(StructType declared) {
    Map<String, StructField> chosen = new LinkedHashMap<>();
    for (StructField field : declared.fields()) {
      StructField actual = fields.get(field.name());
      if (actual == null) {
        throw new TallyException(
            ErrorCode.COLUMN_NOT_FOUND,
            "Column "
                + quote(field.name())
                + " was declared for table "
                + quote(table)
                + ", but the nodes have no such column"
                + suggestion(field.name())
                + " Names are compared exactly.");
      }
      // What Spark makes of the strings is its own matter; nodes do not compare collated ones.
      boolean character =
          actual.dataType().equals(DataTypes.StringType)
              && (isCharOrVarchar(field) || field.dataType() instanceof StringType);
      if (!character && !sameType(field.dataType(), actual.dataType())) {
        throw new TallyException(
            ErrorCode.INVALID_REQUEST,
            "Column "
                + quote(field.name())
                + " of table "
                + quote(table)
                + " was declared as "
                + field.dataType().sql()
                + ", but the nodes have it as "
                + actual.dataType().sql()
                + ". Declare that type, or leave the schema out.");
      }
      DataType type = character ? field.dataType() : actual.dataType();
      chosen.put(
          field.name(), new StructField(field.name(), type, actual.nullable(), field.metadata()));
    }
    return new TableSchema(table, chosen, unreadable);
  }

  /**
   * Checks that Spark was right to plan with what it knows: it leaves out what asks for NULL where
   * there cannot be any.
   *
   * @param known the columns as Spark has loaded them
   * @throws TallyException LAYOUT_CHANGED if one may be NULL now that could not
   */
  public void checkNoNewNulls(StructType known) {
    for (StructField column : known.fields()) {
      if (!column.nullable() && column(column.name()).map(StructField::nullable).orElse(false)) {
        throw new TallyException(
            ErrorCode.LAYOUT_CHANGED,
            "Column "
                + quote(column.name())
                + " of table "
                + quote(table)
                + " may be NULL now, which it could not when the table was loaded, and Spark relies"
                + " on that. Load the table, or create the view, again.");
      }
    }
  }

  private String suggestion(String name) {
    return NearestName.of(name, fields.keySet())
        .map(near -> "; did you mean " + quote(near) + "?")
        .orElse("; it has " + String.join(", ", fields.keySet()) + ".");
  }

  /** Equality that looks at names and types at every depth, but not at nullability. */
  private static boolean sameType(DataType left, DataType right) {
    return left.catalogString().equals(right.catalogString());
  }

  /** The table's name, for messages. */
  public String table() {
    return table;
  }

  /** All columns, readable or not. */
  public StructType sparkSchema() {
    return DataTypes.createStructType(new ArrayList<>(fields.values()));
  }

  /** The column of exactly that name, readable or not. */
  public Optional<StructField> column(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** Why the column cannot be read; empty if it can, or if there is none. */
  public Optional<Unreadable> unreadable(String name) {
    return Optional.ofNullable(unreadable.get(name));
  }

  /** Whether comparisons of the column pad or cut its values, which nodes know nothing of. */
  public static boolean isCharOrVarchar(StructField field) {
    return field.metadata().contains(CHAR_VARCHAR_METADATA_KEY)
        || field.dataType() instanceof CharType
        || field.dataType() instanceof VarcharType;
  }

  /**
   * The columns of those names, to be read.
   *
   * @throws TallyException COLUMN_NOT_FOUND if one of them cannot be read
   */
  public StructType select(List<String> names) {
    List<StructField> selected = new ArrayList<>();
    for (String name : names) {
      Unreadable why = unreadable.get(name);
      StructField field = fields.get(name);
      if (why != null || field == null) {
        throw new TallyException(
            ErrorCode.COLUMN_NOT_FOUND,
            "Column "
                + quote(name)
                + " of table "
                + quote(table)
                + " cannot be read: "
                + (why == null
                    ? "there is no such column."
                    : "its type is " + why.nativeType() + ". " + why.reason())
                + " Select the other columns by name.");
      }
      selected.add(field);
    }
    return DataTypes.createStructType(selected);
  }

  private static String quote(String name) {
    return '"' + name + '"';
  }
}
