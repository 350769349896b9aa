package io.tally.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Literal;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclaredValuesTest {
  @TempDir Path folder;

  @Test
  void aRangeBecomesInclusiveBounds() throws Exception {
    ColumnBounds bounds = bounds("DATE '2001-01-31'", range("2001-01-01", "2001-02-01"));
    assertEquals(LocalDate.of(2001, 1, 1).toEpochDay(), bounds.getLower().getInteger());
    assertEquals(LocalDate.of(2001, 1, 31).toEpochDay(), bounds.getUpper().getInteger());
  }

  @Test
  void valuesBecomeTheListOfDistinctLiterals() throws Exception {
    ColumnBounds bounds = bounds("'b'", values(false, "a", "b", "a"));
    assertEquals(
        List.of("a", "b"),
        bounds.getValues().getItemsList().stream().map(Literal::getString).toList());
    assertTrue(bounds("NULL::VARCHAR", values(true, "a")).getMayContainNull());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = ';',
      nullValues = "-",
      value = {
        "127::TINYINT; 0; 128",
        "-5; -5; -",
        "-5; -; -4",
        "DATE '0001-01-01'; 0001-01-01; 0001-01-02",
        "TIMESTAMP '2001-01-01 00:00:00.999999'; 2001-01-01; 2001-01-01T00:00:01",
        "TIMESTAMPTZ '2001-01-01 00:00:00+00'; 2001-01-01 02:00+02:00; 2001-01-01T00:00:00.000001Z",
        "TIMESTAMP_S '2001-01-01 00:00:00'; 2001-01-01 00:00; 2001-01-02",
      })
  void rangesOfAnyDiscreteType(String value, String from, String to) throws Exception {
    assertEquals("i", bounds(value, range(from, to)).getColumn());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = ';',
      value = {
        "2001-02-01; range from 2001-01-01 to 2001-02-01 (exclusive)",
        "2000-12-31; range from 2001-01-01 to 2001-02-01 (exclusive)",
        "infinity; range from 2001-01-01 to 2001-02-01 (exclusive)",
      })
  void aRowOutsideOfTheRangeIsNamed(String value, String declared) {
    CatalogException e =
        assertThrows(
            CatalogException.class,
            () -> bounds("'" + value + "'::DATE", range("2001-01-01", "2001-02-01")));
    assertEquals(CatalogException.Kind.DATA, e.kind());
    assertEquals(
        "table \"t\": partition \"p\": column \"i\" has the value "
            + value
            + ", which the declared "
            + declared
            + " does not allow; correct the declaration or move the row",
        e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = ';',
      value = {
        "'c'; a; has the value c, which the declared values [a] does not allow",
        "NULL::VARCHAR; a; has the value NULL, which the declared values [a] does not allow",
        "1.55::DECIMAL(4,2); 1.5; has the value 1.55, which the declared values [1.5] does not allow",
        "true; false; has the value true, which the declared values [false] does not allow",
      })
  void aRowWithAnotherValueIsNamed(String value, String declared, String message) {
    CatalogException e =
        assertThrows(CatalogException.class, () -> bounds(value, values(false, declared)));
    assertEquals(CatalogException.Kind.DATA, e.kind());
    assertTrue(e.getMessage().contains("column \"i\" " + message), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = ';',
      value = {
        "1; one; one is not a value of type INTEGER, the type of the column \"i\"",
        "1; 1.5; 1.5 is not a value of type INTEGER",
        "1; 2001-01-01; 2001-01-01 is not a value of type INTEGER",
        "1::TINYINT; 128; 128 is not a value of type TINYINT",
        "1.5::DECIMAL(2,1); 1.55; 1.55 is not a value of type DECIMAL(2,1)",
        "1.5::DECIMAL(2,1); 10; 10 is not a value of type DECIMAL(2,1)",
        "DATE '2001-01-01'; 01/02/2001; 01/02/2001 is not a value of type DATE",
        "DATE '2001-01-01'; 2001-02-30; 2001-02-30 is not a value of type DATE",
        "TIMESTAMP '2001-01-01 00:00:00'; 2001-01-01T00:00:00.0000001; is not a value of type TIMESTAMP",
        "true; yes; yes is not a value of type BOOLEAN",
        "1.5::DOUBLE; 1.5; column \"i\" of type DOUBLE cannot partition a table",
        "[1]; 1; column \"i\" of type INTEGER[] cannot partition a table",
        "1::HUGEINT; 1; column \"i\" of type HUGEINT cannot partition a table",
      })
  void valuesThatTheColumnCannotHaveAreMistakes(String value, String declared, String message) {
    CatalogException e =
        assertThrows(CatalogException.class, () -> bounds(value, values(false, declared)));
    assertEquals(CatalogException.Kind.CONFIGURATION, e.kind(), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void valuesMayHoldNul() throws Exception {
    ColumnBounds bounds = bounds("'a' || chr(0) || '''b'", values(false, "a\0'b"));
    assertEquals("a\0'b", bounds.getValues().getItems(0).getString());
  }

  @Test
  void rangesThatCannotBeMeantAreMistakes() {
    CatalogException empty =
        assertThrows(CatalogException.class, () -> bounds("1", range("5", "5")));
    assertEquals(CatalogException.Kind.CONFIGURATION, empty.kind());
    assertTrue(empty.getMessage().contains("the range from 5 to 5 is empty"), empty.getMessage());
    CatalogException text =
        assertThrows(CatalogException.class, () -> bounds("'a'", range("a", "b")));
    assertEquals(CatalogException.Kind.CONFIGURATION, text.kind());
    assertTrue(text.getMessage().contains("use values"), text.getMessage());
  }

  @Test
  void aMissingColumnOffersTheNearest() throws Exception {
    Path file = new Stored(folder).parquet("a.parquet", "SELECT 1 AS flight_date, 2 AS other");
    CatalogException e =
        assertThrows(
            CatalogException.class,
            () -> Stored.open(Stored.partitionedBy("flightdate", Stored.parquet("p", file))));
    assertEquals(CatalogException.Kind.CONFIGURATION, e.kind());
    assertTrue(e.getMessage().endsWith("did you mean \"flight_date\"?"), e.getMessage());
  }

  private ColumnBounds bounds(String value, PartitionDeclaration declaration) throws Exception {
    Path file =
        new Stored(folder)
            .database("d.duckdb", "CREATE OR REPLACE TABLE t AS SELECT " + value + " AS i, 1 AS x");
    TableDefinition table =
        Stored.partitionedBy("i", Stored.declared(Stored.database("p", file), declaration));
    try (DuckDbCatalog catalog = Stored.open(table)) {
      ServedPartition partition = catalog.table("t").partitions().get(0);
      assertEquals(List.of("i"), partition.partitioningColumns());
      return partition.bounds().get(0);
    }
  }

  private static PartitionDeclaration range(String from, String to) {
    return new PartitionDeclaration.Range(Optional.ofNullable(from), Optional.ofNullable(to));
  }

  private static PartitionDeclaration values(boolean nullAllowed, String... values) {
    return new PartitionDeclaration.Values(List.of(values), nullAllowed);
  }
}
