package io.tally.spark;

import io.tally.rpc.TallyException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A table of a catalog that the nodes do not have as it was defined, or that no node answers for:
 * takes what the catalog knows, so that it can be described and dropped, and fails what would read
 * it.
 */
final class UnavailableTable implements SupportsRead, SupportsMetadataColumns {
  private final StructType schema;
  private final Map<String, String> properties;
  private final TallyException why;

  /**
   * @param why is thrown to who reads it; also if the nodes are back by then, because the query was
   *     not planned as one over a {@link TallyTable}
   */
  UnavailableTable(StructType schema, Map<String, String> properties, TallyException why) {
    this.schema = schema;
    this.properties = Map.copyOf(properties);
    this.why = why;
  }

  @Override
  public String name() {
    return "unavailable table of tally";
  }

  @Override
  public Column[] columns() {
    return TallyTable.columns(schema);
  }

  /** What {@link #columns()} says; Spark 4.0 leaves no table without it. */
  @Deprecated
  @Override
  public StructType schema() {
    return schema;
  }

  @Override
  public MetadataColumn[] metadataColumns() {
    return MetadataColumns.all();
  }

  @Override
  public Map<String, String> properties() {
    return TallyOptions.inForce(properties);
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(TableCapability.BATCH_READ);
  }

  /** DESCRIBE EXTENDED takes a scan, too, to ask it for statistics; this one has none. */
  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return () -> new UnavailableScan(schema, why);
  }

  @Override
  public String toString() {
    return name();
  }

  private record UnavailableScan(StructType readSchema, TallyException why) implements Scan {
    @Override
    public Batch toBatch() {
      throw why;
    }
  }
}
