package io.tally.spark;

import io.tally.rpc.client.ClusterView;
import io.tally.spark.pushdown.SessionRules;
import io.tally.spark.read.TableView;
import io.tally.spark.read.TallyScanBuilder;
import io.tally.spark.types.TableSchema;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * One table as Spark holds it: takes what the nodes answered and hands Spark its columns and a
 * builder for every scan.
 *
 * <p>Spark keeps a table as long as a DataFrame or a temporary view, while the data on the nodes
 * may change. A scan is therefore planned with what the nodes say now, unless that was asked a
 * moment ago, and planned again if that is not so any more when Spark asks for its tasks; should
 * the data change between that and reading, the nodes refuse the scan.
 */
final class TallyTable implements SupportsRead, SupportsMetadataColumns {
  /** Where Spark keeps a column's comment: {@code StructField.withComment}. */
  private static final String COMMENT_KEY = "comment";

  private final Map<String, String> properties;
  private final TallyOptions options;
  private final Optional<StructType> declared;
  private final TableSchema schema;
  private final SessionRules loadedUnder;
  private final LatestView latest;

  private TallyTable(
      Map<String, String> properties,
      TallyOptions options,
      Optional<StructType> declared,
      LatestView latest,
      TableSchema schema,
      SessionRules loadedUnder) {
    this.loadedUnder = loadedUnder;
    this.properties = Map.copyOf(properties);
    this.options = options;
    this.declared = declared;
    this.latest = latest;
    this.schema = schema;
  }

  /**
   * Asks the nodes for the table.
   *
   * @param properties options, and the other properties of a table of a catalog
   */
  static TallyTable load(Map<String, String> properties) {
    TallyOptions options = TallyOptions.of(properties, CurrentSession.settings());
    LatestView latest = new LatestView(options);
    return new TallyTable(
        properties,
        options,
        Optional.empty(),
        latest,
        schemaOf(latest.now().view(), Optional.empty()),
        CurrentSession.rules());
  }

  private static TableSchema schemaOf(ClusterView view, Optional<StructType> declared) {
    TableSchema all = TableSchema.of(view.table(), view.schema(), view.unreadableColumns());
    return declared.map(all::declaredAs).orElse(all);
  }

  /** Whether it was loaded with exactly these properties. */
  boolean isOf(Map<String, String> properties) {
    return this.properties.equals(properties);
  }

  /** The same table with the columns that a user declared. */
  TallyTable declaredAs(StructType schema) {
    Optional<StructType> columns = Optional.of(schema);
    return new TallyTable(
        properties, options, columns, latest, schemaOf(latest.now().view(), columns), loadedUnder);
  }

  StructType sparkSchema() {
    return schema.sparkSchema();
  }

  @Override
  public String name() {
    return options.table();
  }

  @Override
  public Column[] columns() {
    return columns(schema.sparkSchema());
  }

  static Column[] columns(StructType schema) {
    StructField[] fields = schema.fields();
    Column[] columns = new Column[fields.length];
    for (int i = 0; i < fields.length; i++) {
      columns[i] = column(fields[i]);
    }
    return columns;
  }

  /** What {@link #columns()} says; Spark 4.0 leaves no table without it. */
  @Deprecated
  @Override
  public StructType schema() {
    return schema.sparkSchema();
  }

  /** Hidden unless they are named: where each row came from. */
  @Override
  public MetadataColumn[] metadataColumns() {
    return MetadataColumns.all();
  }

  /** Other metadata than the comment is kept: Spark has there what CHAR and VARCHAR were. */
  private static Column column(StructField field) {
    String comment =
        field.metadata().contains(COMMENT_KEY) ? field.metadata().getString(COMMENT_KEY) : null;
    String metadata = field.metadata().json();
    return Column.create(
        field.name(),
        field.dataType(),
        field.nullable(),
        comment,
        metadata.equals("{}") ? null : metadata);
  }

  /** So that SHOW CREATE TABLE can show them. */
  @Override
  public Map<String, String> properties() {
    return TallyOptions.inForce(properties);
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(TableCapability.BATCH_READ);
  }

  /**
   * @param scanOptions options of the query, which come before those of the table
   */
  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap scanOptions) {
    ExecutorsWithoutJar.watch();
    Map<String, String> merged = new HashMap<>();
    properties.forEach((key, value) -> merged.put(key.toLowerCase(Locale.ROOT), value));
    scanOptions.forEach((key, value) -> merged.put(key.toLowerCase(Locale.ROOT), value));
    TallyOptions scan = TallyOptions.of(merged, CurrentSession.settings());
    LatestView nodes = scan.sameTable(options) ? latest : new LatestView(scan);
    LatestView.Answer planned = nodes.now();
    return new TallyScanBuilder(
        tableView(planned.view()),
        () -> tableView(nodes.toRead(planned)),
        scan.settings(),
        CurrentSession.planning(loadedUnder));
  }

  /** Spark has resolved the query against these columns, so the nodes must still have them. */
  private TableView tableView(ClusterView view) {
    StructType known = schema.sparkSchema();
    TableSchema columns = schemaOf(view, Optional.of(declared.orElse(known)));
    columns.checkNoNewNulls(known);
    return new TableView(view, columns);
  }

  /**
   * Equal tables have the same definition; Spark looks for cached data by that, and keeps to it
   * until REFRESH TABLE, whatever happens to the data.
   */
  @Override
  public boolean equals(Object other) {
    return other instanceof TallyTable table
        && properties.equals(table.properties)
        && options.equals(table.options)
        && schema.sparkSchema().equals(table.schema.sparkSchema());
  }

  @Override
  public int hashCode() {
    return Objects.hash(properties, options);
  }

  @Override
  public String toString() {
    return "tally table " + options.table() + " at " + options.endpoints();
  }
}
