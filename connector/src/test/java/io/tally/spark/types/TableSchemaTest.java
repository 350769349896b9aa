package io.tally.spark.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tally.rpc.SqlTypeName;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import io.tally.rpc.v1.UnreadableColumn;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class TableSchemaTest {
  static Stream<Arguments> types() {
    Field key = Field.notNullable("key", ArrowType.Utf8.INSTANCE);
    Field value = Field.nullable("value", new ArrowType.Int(32, true));
    Field entries =
        new Field("entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(key, value));
    return Stream.of(
        arguments(ArrowType.Bool.INSTANCE, List.of(), "boolean"),
        arguments(new ArrowType.Int(8, true), List.of(), "tinyint"),
        arguments(new ArrowType.Int(16, true), List.of(), "smallint"),
        arguments(new ArrowType.Int(32, true), List.of(), "int"),
        arguments(new ArrowType.Int(64, true), List.of(), "bigint"),
        arguments(new ArrowType.Int(64, false), List.of(), ""),
        arguments(new ArrowType.FloatingPoint(FloatingPointPrecision.HALF), List.of(), ""),
        arguments(new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE), List.of(), "float"),
        arguments(new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE), List.of(), "double"),
        arguments(new ArrowType.Decimal(38, 10, 128), List.of(), "decimal(38,10)"),
        arguments(new ArrowType.Decimal(38, 10, 256), List.of(), ""),
        arguments(new ArrowType.Decimal(5, -2, 128), List.of(), ""),
        arguments(ArrowType.Utf8.INSTANCE, List.of(), "string"),
        arguments(ArrowType.LargeUtf8.INSTANCE, List.of(), "string"),
        arguments(ArrowType.Binary.INSTANCE, List.of(), "binary"),
        arguments(new ArrowType.FixedSizeBinary(4), List.of(), ""),
        arguments(new ArrowType.Date(DateUnit.DAY), List.of(), "date"),
        arguments(new ArrowType.Date(DateUnit.MILLISECOND), List.of(), ""),
        arguments(new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"), List.of(), "timestamp"),
        arguments(new ArrowType.Timestamp(TimeUnit.MICROSECOND, null), List.of(), "timestamp_ntz"),
        arguments(new ArrowType.Timestamp(TimeUnit.NANOSECOND, null), List.of(), ""),
        arguments(new ArrowType.Time(TimeUnit.MICROSECOND, 64), List.of(), ""),
        arguments(
            new ArrowType.Interval(IntervalUnit.YEAR_MONTH), List.of(), "interval year to month"),
        arguments(
            new ArrowType.Duration(TimeUnit.MICROSECOND), List.of(), "interval day to second"),
        arguments(new ArrowType.Duration(TimeUnit.SECOND), List.of(), ""),
        arguments(new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO), List.of(), ""),
        arguments(ArrowType.List.INSTANCE, List.of(value), "array<int>"),
        arguments(ArrowType.LargeList.INSTANCE, List.of(value), ""),
        arguments(ArrowType.Struct.INSTANCE, List.of(key, value), "struct<key:string,value:int>"),
        arguments(new ArrowType.Map(false), List.of(entries), "map<string,int>"),
        arguments(
            ArrowType.List.INSTANCE,
            List.of(Field.nullable("e", new ArrowType.Int(8, false))),
            ""));
  }

  @ParameterizedTest
  @MethodSource
  void types(ArrowType type, List<Field> children, String expected) {
    Field field = new Field("c", FieldType.nullable(type), children);
    assertEquals(expected, ArrowSparkTypes.toSpark(field).map(DataType::catalogString).orElse(""));
  }

  @ParameterizedTest
  @CsvSource({
    "interval year, interval year",
    "interval month, interval month",
    "interval day to hour, ''",
    "string collate UNICODE_CI, ''",
    "nonsense, ''",
  })
  void namesSayWhatAnIntervalIs(String name, String expected) {
    FieldType type =
        new FieldType(
            true,
            new ArrowType.Interval(IntervalUnit.YEAR_MONTH),
            null,
            new SqlTypeName(name).toMetadata());
    Field field = new Field("c", type, List.of());
    assertEquals(expected, ArrowSparkTypes.toSpark(field).map(DataType::catalogString).orElse(""));
  }

  @Test
  void namesSayHowStringsWereDeclared() {
    TableSchema schema =
        TableSchema.of(
            "t",
            new Schema(
                List.of(
                    named("c", "char(5)"),
                    named("v", "varchar(7)"),
                    named("ci", "string collate UNICODE_CI"))),
            List.of());
    assertEquals(
        "struct<c:string,v:string,ci:string collate UNICODE_CI>",
        schema.sparkSchema().catalogString());
    assertEquals(
        "{\"__CHAR_VARCHAR_TYPE_STRING\":\"char(5)\"}",
        schema.column("c").orElseThrow().metadata().json());
    assertTrue(TableSchema.isCharOrVarchar(schema.column("v").orElseThrow()));
  }

  private static Field named(String column, String name) {
    FieldType type =
        new FieldType(true, ArrowType.Utf8.INSTANCE, null, new SqlTypeName(name).toMetadata());
    return new Field(column, type, List.of());
  }

  @Test
  void dictionariesAreUnreadable() {
    FieldType encoded =
        new FieldType(true, new ArrowType.Int(32, true), new DictionaryEncoding(1, false, null));
    assertEquals(Optional.empty(), ArrowSparkTypes.toSpark(new Field("c", encoded, List.of())));
  }

  private static final TableSchema SCHEMA =
      TableSchema.of(
          "t",
          new Schema(
              List.of(
                  Field.notNullable("id", new ArrowType.Int(32, true)),
                  Field.nullable("name", ArrowType.Utf8.INSTANCE),
                  Field.nullable("at", new ArrowType.Time(TimeUnit.MICROSECOND, 64)))),
          List.of(
              UnreadableColumn.newBuilder()
                  .setName("bits")
                  .setNativeType("BIT")
                  .setReason("Arrow has no such type.")
                  .build()));

  @Test
  void unreadableColumnsAreThereWithTheReason() {
    assertEquals(
        "struct<id:int,name:string,at:string,bits:string>", SCHEMA.sparkSchema().catalogString());
    assertEquals(
        "Unreadable: BIT. Arrow has no such type.",
        SCHEMA.column("bits").orElseThrow().metadata().getString("comment"));
    assertEquals(
        "struct<name:string,id:int>", SCHEMA.select(List.of("name", "id")).catalogString());
    TallyException error =
        assertThrows(TallyException.class, () -> SCHEMA.select(List.of("id", "bits")));
    assertEquals(ErrorCode.COLUMN_NOT_FOUND, error.code());
    assertTrue(error.getMessage().contains("\"bits\" of table \"t\""), error::getMessage);
    assertTrue(error.getMessage().contains("BIT"), error::getMessage);
  }

  @Test
  void aDeclaredSchemaMayLeaveColumnsOut() {
    TableSchema declared = SCHEMA.declaredAs(StructType.fromDDL("name STRING, id INT"));
    assertEquals("struct<name:string,id:int>", declared.sparkSchema().catalogString());
    assertTrue(!declared.column("id").orElseThrow().nullable());
    TableSchema again = SCHEMA.declaredAs(SCHEMA.sparkSchema());
    assertEquals(SCHEMA.sparkSchema(), again.sparkSchema());
    assertTrue(again.unreadable("bits").isPresent());
  }

  @Test
  void aDeclaredSchemaMustBeTrue() {
    assertDeclarationFails("nme STRING", ErrorCode.COLUMN_NOT_FOUND, "did you mean \"name\"?");
    assertDeclarationFails("NAME STRING", ErrorCode.COLUMN_NOT_FOUND, "compared exactly");
    assertDeclarationFails(
        "id BIGINT", ErrorCode.INVALID_REQUEST, "declared as BIGINT, but the nodes have it as INT");
  }

  @Test
  void whatSparkTakesForNeverNullStaysSo() {
    StructType known = SCHEMA.sparkSchema();
    SCHEMA.checkNoNewNulls(known);
    SCHEMA.checkNoNewNulls(StructType.fromDDL("id INT, gone INT NOT NULL"));
    StructType sure = StructType.fromDDL("id INT NOT NULL, name STRING NOT NULL");
    TallyException error = assertThrows(TallyException.class, () -> SCHEMA.checkNoNewNulls(sure));
    assertEquals(ErrorCode.LAYOUT_CHANGED, error.code());
    assertTrue(error.getMessage().contains("\"name\" of table \"t\""), error::getMessage);
  }

  private static void assertDeclarationFails(String ddl, ErrorCode code, String message) {
    TallyException error =
        assertThrows(TallyException.class, () -> SCHEMA.declaredAs(StructType.fromDDL(ddl)));
    assertEquals(code, error.code());
    assertTrue(error.getMessage().contains(message), error::getMessage);
  }

  @Test
  void charAndVarcharMayBeDeclaredForStrings() {
    StructType declared =
        DataTypes.createStructType(
            List.of(
                DataTypes.createStructField(
                    "name", org.apache.spark.sql.types.CharType.apply(5), true)));
    TableSchema schema = SCHEMA.declaredAs(declared);
    assertEquals("char(5)", schema.column("name").orElseThrow().dataType().catalogString());
    assertTrue(TableSchema.isCharOrVarchar(schema.column("name").orElseThrow()));
  }
}
