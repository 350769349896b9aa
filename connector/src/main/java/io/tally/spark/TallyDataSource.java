package io.tally.spark;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.catalog.SessionConfigSupport;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source {@code tally}: takes options, asks the nodes for the table, and hands Spark a
 * {@link TallyTable}. Spark makes an instance for each use of the source, so that the question for
 * the schema and the table that follows cost one round trip together.
 */
public final class TallyDataSource
    implements TableProvider, DataSourceRegister, SessionConfigSupport, CreatableRelationProvider {
  private TallyTable inferred;
  private boolean ofCatalog = true;

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
    ofCatalog = false;
    inferred = TallyTable.load(options.asCaseSensitiveMap());
    return inferred.sparkSchema();
  }

  /** None. Spark asks when it meets a definition, and not when it loads one from a catalog. */
  @Override
  public Transform[] inferPartitioning(CaseInsensitiveStringMap options) {
    ofCatalog = false;
    return new Transform[0];
  }

  /**
   * A definition that is wrong fails here, at once. One that a catalog has kept may have become
   * wrong, and then fails only what reads the table: else nobody could drop it.
   */
  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    SparkVersion.check();
    try {
      return table(schema, ofCatalog ? TallyOptions.ofCatalog(properties) : properties);
    } catch (TallyException e) {
      if (ofCatalog) {
        return new UnavailableTable(schema, properties, e);
      }
      throw e;
    }
  }

  /** What {@code DataFrame.write()} ends in; without it Spark speaks of an error of its own. */
  @Override
  public BaseRelation createRelation(
      SQLContext context,
      SaveMode mode,
      scala.collection.immutable.Map<String, String> parameters,
      Dataset<Row> data) {
    throw new TallyException(
        ErrorCode.INVALID_REQUEST,
        "Tables of tally are read-only. Write the rows to a file, and name it in the configuration"
            + " of a node.");
  }

  private TallyTable table(StructType schema, Map<String, String> properties) {
    TallyTable table =
        inferred != null && inferred.isOf(properties) ? inferred : TallyTable.load(properties);
    return table.declaredAs(schema);
  }
}
