package io.tally.server.scan;

import io.tally.rpc.NearestName;
import io.tally.rpc.ShownText;
import io.tally.rpc.SqlTypeName;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ColumnPath;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.PartSelection;
import io.tally.rpc.v1.PathStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Takes what a request says of the inside of columns, checks it against their fields, and hands on
 * SQL: one part as an operand, or a column with some of its parts.
 */
final class NestedFields {
  private static final String ELEMENT = "element";
  private static final String VALUE = "value";

  private static final long MAX_LIST_ITEMS = Integer.MAX_VALUE;

  private NestedFields() {}

  /** Appends what lies at the end of a path and returns its type. */
  static ValueType append(Sql sql, ColumnPath path, Field column) {
    require(
        path.getStepsCount() > 0, "a path into column \"" + column.getName() + "\" has no step");
    String value = Sql.quote(column.getName());
    Field field = column;
    for (PathStep step : path.getStepsList()) {
      switch (step.getKindCase()) {
        case FIELD -> {
          value = extract(value, step.getField());
          field = fieldOf(field, step.getField());
        }
        case INDEX -> {
          require(
              field.getType() instanceof ArrowType.List,
              "\"" + field.getName() + "\" is no list, and has no item");
          require(step.getIndex() >= 0, "an item of a list has a negative place");
          // The engine counts from 1; no list is longer than this.
          value =
              "list_extract("
                  + value
                  + ", "
                  + (Math.min(step.getIndex(), MAX_LIST_ITEMS) + 1)
                  + ")";
          field = field.getChildren().get(0);
        }
        case KIND_NOT_SET ->
            throw new TallyException(
                ErrorCode.UNSUPPORTED_FEATURE,
                "A step of a path is of a kind that this node does not know, or of none.");
      }
    }
    sql.append(value);
    return ValueType.of(field);
  }

  /** The field of a column that is sent in parts. */
  static Field select(Field column, PartSelection selection) {
    if (selection.getPartsCount() == 0) {
      return column;
    }
    List<Field> children = new ArrayList<>();
    if (column.getType() instanceof ArrowType.Struct) {
      List<String> names = column.getChildren().stream().map(Field::getName).toList();
      int before = -1;
      for (PartSelection part : selection.getPartsList()) {
        Field field = fieldOf(column, part.getName());
        int place = names.indexOf(part.getName());
        require(
            place > before,
            "the projection names fields of \""
                + column.getName()
                + "\" twice, or not in the order of the schema");
        before = place;
        children.add(select(field, part));
      }
    } else if (column.getType() instanceof ArrowType.List) {
      children.add(select(column.getChildren().get(0), only(column, selection, ELEMENT)));
    } else if (column.getType() instanceof ArrowType.Map) {
      Field entries = column.getChildren().get(0);
      Field value = select(entries.getChildren().get(1), only(column, selection, VALUE));
      children.add(
          new Field(
              entries.getName(),
              entries.getFieldType(),
              List.of(entries.getChildren().get(0), value)));
    } else {
      throw wrong("\"" + column.getName() + "\" has no parts to choose from");
    }
    return new Field(column.getName(), column.getFieldType(), children);
  }

  /**
   * SQL for a value of which only some parts are wanted; what is NULL stays NULL.
   *
   * @param value SQL without side effects, cheap enough to be repeated
   * @param selection one that {@link #select} has accepted
   */
  static String project(String value, Field field, PartSelection selection, int depth) {
    if (selection.getPartsCount() == 0) {
      return value;
    }
    String projected;
    if (field.getType() instanceof ArrowType.Struct) {
      projected =
          selection.getPartsList().stream()
              .map(
                  part ->
                      Sql.quote(part.getName())
                          + " := "
                          + project(
                              extract(value, part.getName()),
                              fieldOf(field, part.getName()),
                              part,
                              depth))
              .collect(Collectors.joining(", ", "struct_pack(", ")"));
    } else {
      String item = "item" + depth;
      boolean isMap = field.getType() instanceof ArrowType.Map;
      Field child = field.getChildren().get(0);
      String items =
          "list_transform("
              + (isMap ? "map_values(" + value + ")" : value)
              + ", lambda "
              + item
              + ": "
              + project(
                  item,
                  isMap ? child.getChildren().get(1) : child,
                  selection.getParts(0),
                  depth + 1)
              + ")";
      projected = isMap ? "map(map_keys(" + value + "), " + items + ")" : items;
    }
    return "CASE WHEN " + value + " IS NULL THEN NULL ELSE " + projected + " END";
  }

  private static String extract(String struct, String field) {
    return "struct_extract(" + struct + ", '" + field.replace("'", "''") + "')";
  }

  private static Field fieldOf(Field struct, String name) {
    boolean hasFields =
        struct.getType() instanceof ArrowType.Struct
            && !SqlTypeName.of(struct.getMetadata()).equals(Optional.of(SqlTypeName.VARIANT));
    List<Field> fields = hasFields ? struct.getChildren() : List.of();
    return fields.stream()
        .filter(field -> field.getName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new TallyException(
                    ErrorCode.COLUMN_NOT_FOUND,
                    "\"%s\" has no field \"%s\"%s."
                        .formatted(
                            struct.getName(),
                            ShownText.name(name),
                            NearestName.of(name, fields.stream().map(Field::getName).toList())
                                .map(nearest -> "; did you mean \"" + nearest + "\"")
                                .orElse(""))));
  }

  private static PartSelection only(Field field, PartSelection selection, String name) {
    require(
        selection.getPartsCount() == 1 && selection.getParts(0).getName().equals(name),
        "of \"" + field.getName() + "\" the only part to choose from is " + name);
    return selection.getParts(0);
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw wrong(otherwise);
    }
  }

  private static TallyException wrong(String what) {
    return new TallyException(
        ErrorCode.INVALID_REQUEST, "The request to scan is wrong: " + what + ".");
  }
}
