package io.tally.spark;

import io.tally.spark.types.RowOrigin;
import java.util.Arrays;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Takes the columns that tell where a row came from and shows them to Spark. */
final class MetadataColumns {
  private record Origin(RowOrigin origin) implements MetadataColumn {
    @Override
    public String name() {
      return origin.column();
    }

    @Override
    public DataType dataType() {
      return DataTypes.StringType;
    }

    @Override
    public boolean isNullable() {
      return false;
    }

    @Override
    public String comment() {
      return origin.comment();
    }
  }

  private MetadataColumns() {}

  static MetadataColumn[] all() {
    return Arrays.stream(RowOrigin.values()).map(Origin::new).toArray(MetadataColumn[]::new);
  }
}
