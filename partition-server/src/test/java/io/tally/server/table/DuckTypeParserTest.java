package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tally.server.table.DuckType.ArrayType;
import io.tally.server.table.DuckType.DecimalType;
import io.tally.server.table.DuckType.EnumType;
import io.tally.server.table.DuckType.ListType;
import io.tally.server.table.DuckType.MapType;
import io.tally.server.table.DuckType.Plain;
import io.tally.server.table.DuckType.StructField;
import io.tally.server.table.DuckType.StructType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class DuckTypeParserTest {
  @Property(tries = 100)
  void readsWhatDuckDbNamesItself(@ForAll("types") DuckType type) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("DESCRIBE SELECT CAST(NULL AS " + type.sql() + ")")) {
      row.next();
      assertEquals(type, DuckTypeParser.parse(row.getString(2)));
    }
  }

  @Provide
  Arbitrary<DuckType> types() {
    return types(3);
  }

  private static Arbitrary<DuckType> types(int depth) {
    Arbitrary<DuckType> leaves =
        Arbitraries.of(
            new Plain("INTEGER"),
            new Plain("VARCHAR"),
            new Plain("TIMESTAMP WITH TIME ZONE"),
            new Plain("UNION(a INTEGER, \"b)\" VARCHAR[])"),
            new EnumType("ENUM('a', 'it''s', '(', ']')"),
            new DecimalType(18, 3));
    if (depth == 0) {
      return leaves;
    }
    Arbitrary<DuckType> inner = types(depth - 1);
    Arbitrary<StructField> fields =
        Combinators.combine(Arbitraries.of("a", "b c", "d\"e", "f,(g", "ü", "SELECT"), inner)
            .as(StructField::new);
    return Arbitraries.oneOf(
        leaves,
        inner.map(ListType::new),
        Combinators.combine(inner, Arbitraries.integers().between(1, 9)).as(ArrayType::new),
        Combinators.combine(inner, inner).as(MapType::new),
        fields
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .uniqueElements(StructField::name)
            .map(StructType::new));
  }

  @Test
  void refusesWhatIsNoType() {
    for (String text : List.of("STRUCT(a", "INTEGER)", "MAP(VARCHAR)", "ENUM('a)", "INTEGER[")) {
      assertThrows(IllegalArgumentException.class, () -> DuckTypeParser.parse(text), text);
    }
  }
}
