package io.tally.server.scan;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.SortKey;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;

/** Turns the sort keys of a scan into an ORDER BY, checked like all other expressions. */
final class SortSql {
  /** What every node accepts, see partition_service.proto. */
  private static final int MAX_KEYS = 64;

  private SortSql() {}

  /** Appends nothing if there is no key. */
  static void appendForRows(Sql sql, List<SortKey> keys, ExpressionSql expressions) {
    requireFew(keys);
    String separator = " ORDER BY ";
    for (SortKey key : keys) {
      sql.append(separator).append("(");
      switch (key.getValueCase()) {
        case EXPRESSION -> requireComparable(expressions.append(sql, key.getExpression()));
        case OUTPUT -> throw wrong("a sort key names an output, but there is no aggregation");
        case VALUE_NOT_SET -> throw unknownKey();
      }
      appendDirection(sql.append(")"), key);
      separator = ", ";
    }
  }

  /**
   * Appends nothing if there is no key.
   *
   * @param fields of the answer, under whose names the statement has them
   */
  static void appendForAggregation(Sql sql, List<SortKey> keys, List<Field> fields) {
    requireFew(keys);
    String separator = " ORDER BY ";
    for (SortKey key : keys) {
      sql.append(separator);
      switch (key.getValueCase()) {
        case EXPRESSION -> throw wrong("a sort key is an expression beside an aggregation");
        case OUTPUT -> sql.append(Sql.quote(output(fields, key.getOutput()).getName()));
        case VALUE_NOT_SET -> throw unknownKey();
      }
      appendDirection(sql, key);
      separator = ", ";
    }
  }

  private static Field output(List<Field> fields, int position) {
    if (position < 0 || position >= fields.size()) {
      throw wrong(
          "a sort key names output %d, but the answer has %d columns"
              .formatted(position, fields.size()));
    }
    return fields.get(position);
  }

  private static void appendDirection(Sql sql, SortKey key) {
    sql.append(key.getDescending() ? " DESC" : " ASC");
    sql.append(key.getNullsLast() ? " NULLS LAST" : " NULLS FIRST");
  }

  private static void requireComparable(ValueType type) {
    if (!type.comparable()) {
      throw new TallyException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "This node does not sort by values of type %s.".formatted(type.text()));
    }
  }

  private static void requireFew(List<SortKey> keys) {
    if (keys.size() > MAX_KEYS) {
      throw new TallyException(
          ErrorCode.EXPRESSION_TOO_LARGE,
          "The scan has %d sort keys; this node accepts %d.".formatted(keys.size(), MAX_KEYS));
    }
  }

  private static TallyException unknownKey() {
    return new TallyException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "A sort key is of a kind that this node does not know, or of none.");
  }

  private static TallyException wrong(String what) {
    return new TallyException(
        ErrorCode.INVALID_REQUEST, "The request to scan is wrong: " + what + ".");
  }
}
