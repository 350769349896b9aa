package io.tally.server.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A DuckDB type, parsed by {@link DuckTypeParser} from the text in which DESCRIBE names it, and the
 * type in which its values are sent.
 */
sealed interface DuckType {
  /** The type in DuckDB's SQL. */
  String sql();

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

  /** A type without parameters, or one that is not looked into. */
  record Plain(String sql) implements DuckType {
    static final DuckType VARCHAR = new Plain("VARCHAR");

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
            "TIME",
            "TIMESTAMP",
            "TIMESTAMP WITH TIME ZONE" ->
            Optional.of(this);
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
    public String sql() {
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
    public Optional<DuckType> wireType() {
      return Optional.of(Plain.VARCHAR);
    }
  }

  record ListType(DuckType element) implements DuckType {
    @Override
    public String sql() {
      return element.sql() + "[]";
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
    public String sql() {
      return element.sql() + "[" + length + "]";
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
    public String sql() {
      return fields.stream()
          .map(field -> SqlText.identifier(field.name()) + " " + field.type().sql())
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

  record MapType(DuckType key, DuckType value) implements DuckType {
    @Override
    public String sql() {
      return "MAP(" + key.sql() + ", " + value.sql() + ")";
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
