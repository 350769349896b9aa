package io.tally.spark;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.catalog.SessionConfigSupport;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source {@code tally}: takes options, asks the nodes for the table, and hands Spark a
 * {@link TallyTable}. Spark makes an instance for each use of the source, so that the question for
 * the schema and the table that follows cost one round trip together.
 */
public final class TallyDataSource
    implements TableProvider, DataSourceRegister, SessionConfigSupport {
  private TallyTable inferred;

  @Override
  public String shortName() {
    return "tally";
  }

  @Override
  public String keyPrefix() {
    return "tally";
  }

  /** A schema may be declared: some of the columns, with the names and types that they have. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    SparkVersion.check();
    inferred = TallyTable.load(options.asCaseSensitiveMap(), TallyDataSource::sessionSetting);
    return inferred.sparkSchema();
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    SparkVersion.check();
    TallyTable table =
        inferred != null && inferred.isOf(properties)
            ? inferred
            : TallyTable.load(properties, TallyDataSource::sessionSetting);
    return table.declaredAs(schema);
  }

  static Optional<String> sessionSetting(String key) {
    return Optional.ofNullable(SQLConf.get().getConfString(key, null));
  }
}
