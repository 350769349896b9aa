package io.tally.server.scan;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The value of one placeholder, which binds itself to a statement. */
sealed interface SqlParameter {

  /**
   * Sets the placeholder at {@code index} (from 1).
   *
   * @throws SQLException if the driver refuses the value
   */
  void bind(PreparedStatement statement, int index) throws SQLException;

  /**
   * One value, of a Java type that the driver passes on without loss: Boolean, Integer, Long,
   * Float, Double, BigDecimal with a scale of at least 0, String, byte[].
   */
  record Scalar(Object value) implements SqlParameter {
    @Override
    public void bind(PreparedStatement statement, int index) throws SQLException {
      statement.setObject(index, value);
    }
  }

  /**
   * A list as one parameter, for the many values of an IN: a hundred thousand placeholders take
   * seconds to plan, one list takes a hash join. The driver passes elements on as text whatever
   * their type, so text they are.
   */
  record TextList(List<String> values) implements SqlParameter {
    public TextList {
      values = List.copyOf(values);
    }

    @Override
    public void bind(PreparedStatement statement, int index) throws SQLException {
      statement.setArray(
          index, statement.getConnection().createArrayOf("VARCHAR", values.toArray()));
    }
  }
}
