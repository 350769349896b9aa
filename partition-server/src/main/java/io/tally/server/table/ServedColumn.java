package io.tally.server.table;

import java.util.Objects;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * A column as it is sent.
 *
 * @param field Arrow name and type on the wire
 * @param valueSql SQL expression over the rows of {@link ServedPartition#rowsSql} that yields
 *     exactly this type: the quoted name, or a lossless cast of it (an ENUM to VARCHAR, say)
 */
public record ServedColumn(Field field, String valueSql) {
  public ServedColumn {
    Objects.requireNonNull(field);
    Objects.requireNonNull(valueSql);
  }

  /** Name of the column. */
  public String name() {
    return field.getName();
  }
}
