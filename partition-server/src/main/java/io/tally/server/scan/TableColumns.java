package io.tally.server.scan;

import io.tally.rpc.NearestName;
import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.server.table.ServedColumn;
import io.tally.server.table.ServedTable;
import io.tally.server.table.UnservedColumn;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Finds columns of one table by name, and remembers which of them the statement needs. */
final class TableColumns {
  /** Of a list of columns in a message, so that what stands before it stays whole. */
  private static final int MAX_LIST_CHARS = 200;

  private final ServedTable table;
  private final Map<String, ServedColumn> byName = new LinkedHashMap<>();
  private final Set<ServedColumn> used = new LinkedHashSet<>();

  TableColumns(ServedTable table) {
    this.table = table;
    table.columns().forEach(column -> byName.put(column.name(), column));
  }

  /** The column of exactly that name, which the statement's source will have to yield. */
  ServedColumn use(String name) {
    ServedColumn column = byName.get(name);
    if (column == null) {
      throw new TallyException(ErrorCode.COLUMN_NOT_FOUND, notFound(name));
    }
    used.add(column);
    return column;
  }

  /** The columns that were asked for, each once. */
  Collection<ServedColumn> used() {
    return used;
  }

  private String notFound(String name) {
    for (UnservedColumn column : table.unservedColumns()) {
      if (column.name().equals(name)) {
        return "Column \"%s\" of table \"%s\" has type %s and cannot be sent: %s"
            .formatted(name, table.name(), column.nativeType(), column.reason());
      }
    }
    return "Table \"%s\" has no column \"%s\"%s."
        .formatted(
            table.name(),
            ShownText.name(name),
            NearestName.of(name, byName.keySet())
                .map(nearest -> "; did you mean \"" + nearest + "\"")
                .orElse(ShownText.line("; it has " + byName.keySet(), MAX_LIST_CHARS)));
  }
}
