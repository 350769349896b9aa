package io.tally.rpc.client;

import io.tally.rpc.SqlTypeName;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.UnreadableColumn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Receives the schema of one table from several nodes and keeps what they have in common. Whether a
 * column may be NULL is a matter of each node's data; everything else has to be equal.
 */
final class CommonSchema {
  private final String table;
  private final Map<String, Field> readable = new LinkedHashMap<>();
  private final Map<String, UnreadableColumn> unreadable = new LinkedHashMap<>();
  private String firstNode = "";

  CommonSchema(String table) {
    this.table = table;
  }

  /**
   * Adds what one node says.
   *
   * @throws TallyException CLUSTER_INCONSISTENT naming the column and both nodes
   */
  void add(String node, Schema schema, List<UnreadableColumn> unreadableColumns) {
    Map<String, Field> added = new LinkedHashMap<>();
    schema.getFields().forEach(field -> added.put(field.getName(), field));
    Map<String, UnreadableColumn> addedUnreadable = new LinkedHashMap<>();
    unreadableColumns.forEach(column -> addedUnreadable.put(column.getName(), column));
    if (firstNode.isEmpty()) {
      firstNode = node;
      readable.putAll(added);
      unreadable.putAll(addedUnreadable);
      return;
    }
    for (String name : List.copyOf(readable.keySet())) {
      if (added.containsKey(name)) {
        readable.put(name, merge(node, readable.get(name), added.get(name)));
      } else if (addedUnreadable.containsKey(name)) {
        readable.remove(name);
      } else {
        throw onlyOn(firstNode, node, name);
      }
    }
    for (String name : added.keySet()) {
      if (!readable.containsKey(name) && !unreadable.containsKey(name)) {
        throw onlyOn(node, firstNode, name);
      }
    }
    for (String name : addedUnreadable.keySet()) {
      unreadable.putIfAbsent(name, addedUnreadable.get(name));
    }
  }

  Schema schema() {
    return new Schema(readable.values());
  }

  List<UnreadableColumn> unreadableColumns() {
    return List.copyOf(unreadable.values());
  }

  private Field merge(String node, Field one, Field other) {
    return merge(one, other)
        .orElseThrow(
            () ->
                new TallyException(
                    ErrorCode.CLUSTER_INCONSISTENT,
                    "Nodes %s and %s disagree on column \"%s\" of table \"%s\": %s against %s. Give the table the same schema on every node, columns of CSV and JSON files by column-types."
                        .formatted(
                            firstNode, node, one.getName(), table, shown(one), shown(other))));
  }

  /** A field as Arrow shows it, with the names of types that Arrow does not know. */
  private static String shown(Field field) {
    String name = SqlTypeName.of(field.getMetadata()).map(n -> " " + n.text()).orElse("");
    String children =
        field.getChildren().stream()
            .map(CommonSchema::shown)
            .collect(Collectors.joining(", ", "<", ">"));
    return "%s: %s%s%s%s"
        .formatted(
            field.getName(),
            field.getType(),
            name,
            field.getChildren().isEmpty() ? "" : children,
            field.isNullable() ? "" : " not null");
  }

  /** One field for both, nullable where either is; empty if they differ otherwise. */
  private static Optional<Field> merge(Field one, Field other) {
    int children = one.getChildren().size();
    if (!one.getType().equals(other.getType()) || children != other.getChildren().size()) {
      return Optional.empty();
    }
    List<Field> merged = new ArrayList<>(children);
    for (int i = 0; i < children; i++) {
      Field child = one.getChildren().get(i);
      Field otherChild = other.getChildren().get(i);
      Optional<Field> both =
          child.getName().equals(otherChild.getName())
              ? merge(child, otherChild)
              : Optional.empty();
      if (both.isEmpty()) {
        return Optional.empty();
      }
      merged.add(both.get());
    }
    Optional<Map<String, String>> metadata = mergeMetadata(one, other);
    if (metadata.isEmpty()) {
      return Optional.empty();
    }
    boolean nullable = one.isNullable() || other.isNullable();
    FieldType type = new FieldType(nullable, one.getType(), null, metadata.get());
    return Optional.of(new Field(one.getName(), type, merged));
  }

  /**
   * Names of types have to be equal; only how long a VARCHAR may be does not matter to a reader.
   */
  private static Optional<Map<String, String>> mergeMetadata(Field one, Field other) {
    Optional<SqlTypeName> name = SqlTypeName.of(one.getMetadata());
    Optional<SqlTypeName> otherName = SqlTypeName.of(other.getMetadata());
    if (name.equals(otherName)) {
      return Optional.of(one.getMetadata());
    }
    boolean harmless =
        Stream.of(name, otherName).flatMap(Optional::stream).allMatch(SqlTypeName::isOnlyVarchar);
    return harmless ? Optional.of(Map.of()) : Optional.empty();
  }

  private TallyException onlyOn(String with, String without, String column) {
    return new TallyException(
        ErrorCode.CLUSTER_INCONSISTENT,
        "Node %s has column \"%s\" of table \"%s\" and node %s does not. Give the table the same schema on every node."
            .formatted(with, column, table, without));
  }
}
