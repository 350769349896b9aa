package io.tally.server.table;

import io.tally.rpc.SqlTypeName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A DuckDB type, parsed by {@link DuckTypeParser} from the text in which DESCRIBE names it, and the
 * type in which its values are sent.
 */
sealed interface DuckType {
  /** The type in DuckDB's SQL. */
  default String sql() {
    return written(DuckType::sql);
  }

  /** The type for people: as in SQL, but called by its name if it has one. */
  default String text() {
    return written(DuckType::text);
  }

  /** The type in SQL, with its parts written by {@code part}. */
  String written(Function<DuckType, String> part);

  /**
   * The type in which values are sent: this one, or what a cast makes of it that keeps every value.
   * Empty if Spark has no such type.
   */
  Optional<DuckType> wireType();

  /** The types inside, in order. */
  default List<DuckType> parts() {
    return List.of();
  }

  /** The same type around other {@link #parts}. */
  default DuckType withParts(List<DuckType> parts) {
    return this;
  }

  /** The same type without names that say no more than how long a VARCHAR may be. */
  default DuckType withoutVarchar() {
    return withParts(parts().stream().map(DuckType::withoutVarchar).toList());
  }

  /** A type without parameters, or one that is not looked into. */
  record Plain(String sql) implements DuckType {
    static final DuckType VARCHAR = new Plain("VARCHAR");

    @Override
    public String written(Function<DuckType, String> part) {
      return sql;
    }

    @Override
    public Optional<DuckType> wireType() {
      return switch (sql) {
        case "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "FLOAT",
            "DOUBLE",
            "VARCHAR",
            "BLOB",
            "DATE",
            "TIMESTAMP",
            "TIMESTAMP WITH TIME ZONE" ->
            Optional.of(this);
        // Spark's are nanoseconds, too.
        case "TIME" -> Optional.of(new Plain("TIME_NS"));
        case "UTINYINT" -> Optional.of(new Plain("SMALLINT"));
        case "USMALLINT" -> Optional.of(new Plain("INTEGER"));
        case "UINTEGER" -> Optional.of(new Plain("BIGINT"));
        case "UBIGINT" -> Optional.of(new DecimalType(20, 0));
        case "UUID", "JSON" -> Optional.of(VARCHAR);
        case "TIMESTAMP_S", "TIMESTAMP_MS" -> Optional.of(new Plain("TIMESTAMP"));
        default -> Optional.empty();
      };
    }
  }

  record DecimalType(int precision, int scale) implements DuckType {
    @Override
    public String written(Function<DuckType, String> part) {
      return "DECIMAL(" + precision + "," + scale + ")";
    }

    @Override
    public Optional<DuckType> wireType() {
      return Optional.of(this);
    }
  }

  /** An ENUM with its values, as in SQL. */
  record EnumType(String sql) implements DuckType {
    @Override
    public String written(Function<DuckType, String> part) {
      return sql;
    }

    @Override
    public Optional<DuckType> wireType() {
      return Optional.of(Plain.VARCHAR);
    }
  }

  record ListType(DuckType element) implements DuckType {
    @Override
    public String written(Function<DuckType, String> part) {
      return part.apply(element) + "[]";
    }

    @Override
    public List<DuckType> parts() {
      return List.of(element);
    }

    @Override
    public DuckType withParts(List<DuckType> parts) {
      return new ListType(parts.get(0));
    }

    @Override
    public Optional<DuckType> wireType() {
      return element.wireType().map(ListType::new);
    }
  }

  /** A list of fixed length. */
  record ArrayType(DuckType element, int length) implements DuckType {
    @Override
    public String written(Function<DuckType, String> part) {
      return part.apply(element) + "[" + length + "]";
    }

    @Override
    public List<DuckType> parts() {
      return List.of(element);
    }

    @Override
    public DuckType withParts(List<DuckType> parts) {
      return new ArrayType(parts.get(0), length);
    }

    @Override
    public Optional<DuckType> wireType() {
      return element.wireType().map(ListType::new);
    }
  }

  record StructType(List<StructField> fields) implements DuckType {
    public StructType {
      fields = List.copyOf(fields);
    }

    @Override
    public String written(Function<DuckType, String> part) {
      return fields.stream()
          .map(field -> SqlText.identifier(field.name()) + " " + part.apply(field.type()))
          .collect(Collectors.joining(", ", "STRUCT(", ")"));
    }

    @Override
    public List<DuckType> parts() {
      return fields.stream().map(StructField::type).toList();
    }

    @Override
    public DuckType withParts(List<DuckType> parts) {
      List<StructField> changed = new ArrayList<>();
      for (int i = 0; i < fields.size(); i++) {
        changed.add(new StructField(fields.get(i).name(), parts.get(i)));
      }
      return new StructType(changed);
    }

    @Override
    public Optional<DuckType> wireType() {
      List<StructField> sent = new ArrayList<>();
      for (StructField field : fields) {
        field.type().wireType().ifPresent(type -> sent.add(new StructField(field.name(), type)));
      }
      return sent.size() == fields.size() ? Optional.of(new StructType(sent)) : Optional.empty();
    }
  }

  record StructField(String name, DuckType type) {}

  /**
   * A type whose values mean something that DuckDB has no type for, or that only readers have to
   * know: see {@link SqlTypeName}.
   *
   * @param stored what DuckDB reads and sends
   */
  record Named(DuckType stored, SqlTypeName name) implements DuckType {
    @Override
    public String written(Function<DuckType, String> part) {
      return stored.written(part);
    }

    @Override
    public String text() {
      return name.text();
    }

    @Override
    public DuckType withoutVarchar() {
      return name.isOnlyVarchar()
          ? stored.withoutVarchar()
          : new Named(stored.withoutVarchar(), name);
    }

    @Override
    public List<DuckType> parts() {
      return stored.parts();
    }

    @Override
    public DuckType withParts(List<DuckType> parts) {
      return new Named(stored.withParts(parts), name);
    }

    @Override
    public Optional<DuckType> wireType() {
      return stored.wireType().map(wire -> new Named(wire, name));
    }
  }

  record MapType(DuckType key, DuckType value) implements DuckType {
    @Override
    public String written(Function<DuckType, String> part) {
      return "MAP(" + part.apply(key) + ", " + part.apply(value) + ")";
    }

    @Override
    public List<DuckType> parts() {
      return List.of(key, value);
    }

    @Override
    public DuckType withParts(List<DuckType> parts) {
      return new MapType(parts.get(0), parts.get(1));
    }

    @Override
    public Optional<DuckType> wireType() {
      return key.wireType()
          .flatMap(keyType -> value.wireType().map(valueType -> new MapType(keyType, valueType)));
    }
  }
}
