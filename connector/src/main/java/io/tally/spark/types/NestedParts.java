package io.tally.spark.types;

import io.tally.rpc.v1.PartSelection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Takes nested types, whole and as a query needs them, and gives what nodes are to send of them:
 * some fields of structs, also of those in arrays and in the values of maps. Keys of maps are sent
 * whole, because without some of their fields two may be equal.
 */
public final class NestedParts {
  private NestedParts() {}

  /** The column without those fields that {@code needed} leaves out. */
  public static StructField prune(StructField whole, StructField needed) {
    return new StructField(
        whole.name(),
        prune(whole.dataType(), needed.dataType()),
        whole.nullable(),
        whole.metadata());
  }

  private static DataType prune(DataType whole, DataType needed) {
    if (whole instanceof StructType struct && needed instanceof StructType some) {
      Map<String, StructField> byName = new HashMap<>();
      Arrays.asList(some.fields()).forEach(field -> byName.put(field.name(), field));
      List<StructField> kept = new ArrayList<>();
      for (StructField field : struct.fields()) {
        StructField wanted = byName.get(field.name());
        if (wanted != null) {
          kept.add(prune(field, wanted));
        }
      }
      return kept.isEmpty() ? whole : DataTypes.createStructType(kept);
    }
    if (whole instanceof ArrayType array && needed instanceof ArrayType some) {
      return DataTypes.createArrayType(
          prune(array.elementType(), some.elementType()), array.containsNull());
    }
    if (whole instanceof MapType map && needed instanceof MapType some) {
      return DataTypes.createMapType(
          map.keyType(), prune(map.valueType(), some.valueType()), map.valueContainsNull());
    }
    return whole;
  }

  /**
   * What to ask nodes for: one selection for each column that is not needed whole.
   *
   * @param pruned columns of {@code whole}, each as {@link #prune} left it, and others
   */
  public static List<PartSelection> of(StructType whole, StructType pruned) {
    List<PartSelection> selections = new ArrayList<>();
    Map<String, StructField> byName = new HashMap<>();
    Arrays.asList(whole.fields()).forEach(column -> byName.put(column.name(), column));
    for (StructField column : pruned.fields()) {
      StructField stored = byName.get(column.name());
      if (stored != null && !stored.dataType().equals(column.dataType())) {
        selections.add(selection(column.name(), stored.dataType(), column.dataType()));
      }
    }
    return selections;
  }

  /** What a selection chooses, for people: {@code address.street}. */
  public static Stream<String> paths(PartSelection selection) {
    return selection.getPartsCount() == 0
        ? Stream.of(selection.getName())
        : selection.getPartsList().stream()
            .flatMap(NestedParts::paths)
            .map(inner -> selection.getName() + "." + inner);
  }

  private static PartSelection selection(String name, DataType whole, DataType pruned) {
    PartSelection.Builder selection = PartSelection.newBuilder().setName(name);
    if (whole.equals(pruned)) {
      return selection.build();
    }
    if (whole instanceof StructType struct && pruned instanceof StructType some) {
      for (StructField field : some.fields()) {
        DataType type = struct.apply(field.name()).dataType();
        selection.addParts(selection(field.name(), type, field.dataType()));
      }
    } else if (whole instanceof ArrayType array && pruned instanceof ArrayType some) {
      selection.addParts(selection("element", array.elementType(), some.elementType()));
    } else if (whole instanceof MapType map && pruned instanceof MapType some) {
      selection.addParts(selection("value", map.valueType(), some.valueType()));
    }
    return selection.build();
  }
}
