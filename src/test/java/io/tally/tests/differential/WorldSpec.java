package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tables, how nodes hold them, and the settings of Spark: all that the answer to a query may depend
 * on.
 *
 * @param nodes number of node processes; partitions are dealt out in turn
 * @param databases whether nodes hold DuckDB databases instead of Parquet files, of the tables that
 *     they keep the types of
 * @param settings of Spark's sessions
 * @param options of the data source
 */
record WorldSpec(
    List<TableData> tables,
    int nodes,
    boolean databases,
    Map<String, String> settings,
    Map<String, String> options) {

  private static final int MOST_PARTITIONS = 7;

  WorldSpec {
    tables = List.copyOf(tables);
    settings = new TreeMap<>(settings);
    options = new TreeMap<>(options);
  }

  WorldSpec withTables(List<TableData> changed) {
    return new WorldSpec(changed, nodes, databases, settings, options);
  }

  static WorldSpec generate(Dice dice) {
    List<TableData> tables = new ArrayList<>();
    int count = dice.between(2, 3);
    for (int i = 0; i < count; i++) {
      tables.add(table("t" + i, dice));
    }
    return new WorldSpec(
        tables, dice.between(1, 3), dice.chance(25), settings(tables, dice), options(dice));
  }

  private static Map<String, String> settings(List<TableData> tables, Dice dice) {
    Map<String, String> settings = new LinkedHashMap<>();
    boolean ansi = dice.chance(70);
    settings.put("spark.sql.ansi.enabled", "" + ansi);
    settings.put(
        "spark.sql.session.timeZone",
        dice.chance(40)
            ? "UTC"
            : dice.pick(
                "America/Los_Angeles", "Asia/Kolkata", "Europe/Berlin", "Pacific/Apia", "+14:00"));
    // By its filters of Parquet files, Spark does not find 0.0 IN (-0.0, 1.0).
    settings.put("spark.sql.parquet.filterPushdown", "false");
    settings.put("spark.sql.adaptive.enabled", "" + dice.chance(35));
    settings.put("spark.sql.shuffle.partitions", "" + dice.between(1, 3));
    settings.put("spark.sql.datetime.java8API.enabled", "true");
    settings.put("spark.sql.timeType.enabled", "true");
    // Compiling costs more than such small tables do.
    if (!dice.chance(20)) {
      settings.put("spark.sql.codegen.wholeStage", "false");
      // Without compiling, Spark cannot read variants out of Parquet files, and its MIN and MAX of
      // a
      // collated text point into rows that are overwritten.
      if (tables.stream().noneMatch(it -> it.has(Kind.VARIANT) || it.has(Kind.COLLATED))) {
        settings.put("spark.sql.codegen.factoryMode", "NO_CODEGEN");
      }
    }
    if (dice.chance(30)) {
      settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    }
    return settings;
  }

  private static Map<String, String> options(Dice dice) {
    Map<String, String> options = new LinkedHashMap<>();
    if (dice.chance(40)) {
      // A join without keys has a task for each two splits.
      options.put("split-rows", "" + dice.pick(5, 20, 100));
    }
    if (dice.chance(40)) {
      options.put("max-batch-bytes", "1024");
    }
    return options;
  }

  private static TableData table(String name, Dice dice) {
    List<Column> columns = new ArrayList<>();
    int columnCount = dice.between(3, 9);
    for (int i = 0; i < columnCount; i++) {
      columns.add(column("c" + i, dice));
    }
    int rows = dice.pick(0, 1, 3, 10, 20, 40, 60, 60, 100, 100, 200);
    if (dice.chance(6)) {
      rows = 5000;
    }
    int[] percentNull =
        columns.stream().mapToInt(it -> dice.pick(0, 0, 5, 20, 20, 40, 90)).toArray();
    int partitionCount = dice.between(1, MOST_PARTITIONS);
    List<List<List<Object>>> partitions = new ArrayList<>();
    for (int i = 0; i < partitionCount; i++) {
      partitions.add(new ArrayList<>());
    }
    boolean skewed = dice.chance(40);
    for (int i = 0; i < rows; i++) {
      int partition = skewed && dice.chance(80) ? 0 : dice.below(partitionCount);
      partitions.get(partition).add(row(columns, percentNull, skewed, dice));
    }
    return new TableData(name, columns, partitions);
  }

  private static List<Object> row(
      List<Column> columns, int[] percentNull, boolean skewed, Dice dice) {
    List<Object> row = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      List<Object> pool = columns.get(i).pool();
      Object value = skewed && dice.chance(50) ? pool.get(0) : dice.pick(pool);
      row.add(dice.chance(percentNull[i]) ? null : value);
    }
    return row;
  }

  private static Column column(String name, Dice dice) {
    Type type = TypeGenerator.any(dice);
    Kind kind = type.kind();
    boolean small = kind == Kind.BYTE || kind == Kind.SHORT || kind == Kind.INT;
    boolean tame = (kind.isNumber() || kind.isInterval()) && (small || dice.chance(60));
    // Sums of large numbers overflow for certain, and in every order, only if all have one sign.
    boolean wide = kind == Kind.LONG || (kind == Kind.DECIMAL && type.width() > 28);
    boolean overflowing = tame && wide && dice.chance(30);
    Values values = new Values(dice);
    List<Object> pool = new ArrayList<>();
    int size = dice.pick(1, 3, 3, 8, 8, 40);
    for (int i = 0; i < size; i++) {
      Object value = values.any(type, tame && !overflowing);
      pool.add(overflowing ? Values.absolute(value) : value);
    }
    if (tame && kind == Kind.DOUBLE && dice.chance(20)) {
      pool.add(Double.NaN);
    }
    return new Column(name, type, pool, tame);
  }
}
