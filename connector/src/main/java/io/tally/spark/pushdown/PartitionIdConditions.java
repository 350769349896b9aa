package io.tally.spark.pushdown;

import io.tally.rpc.WireTypes;
import io.tally.rpc.v1.ColumnBounds;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.Literal;
import io.tally.rpc.v1.LiteralList;
import io.tally.rpc.v1.Partition;
import io.tally.spark.types.RowOrigin;
import io.tally.spark.types.TableSchema;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * Takes conditions on {@code _partition} alone and decides them while the query is planned: all
 * rows of a partition meet them, or none. So no node has to know them. Immutable; for one thread.
 */
public final class PartitionIdConditions {
  private static final String COLUMN = RowOrigin.PARTITION.column();

  private final boolean hidden;
  private final PredicateTranslator translator;
  private final PartitionPruner pruner;

  /**
   * @param table where a stored column of that name hides the partition's id, nothing is decided
   * @param session as in {@link PushdownContext}
   */
  public PartitionIdConditions(TableSchema table, PlanningSession session) {
    this.hidden = table.column(COLUMN).isPresent();
    Schema arrow = new Schema(List.of(Field.notNullable(COLUMN, ArrowType.Utf8.INSTANCE)));
    TableSchema schema = TableSchema.of(table.table(), arrow, List.of());
    CommonFeatures features = CommonFeatures.OF_NO_NODE;
    this.translator =
        new PredicateTranslator(
            new ExpressionTranslator(new PushdownContext(schema, features, List.of(), session)));
    this.pruner = new PartitionPruner(schema);
  }

  /**
   * The condition, if the ids of {@code partitions} are all that it takes to decide it for each of
   * them.
   */
  public Optional<Expression> decidable(Predicate predicate, List<Partition> partitions) {
    if (hidden || !(translator.translate(predicate) instanceof Translation.Translated translated)) {
      return Optional.empty();
    }
    Expression condition = translated.expression();
    boolean decided =
        partitions.stream()
            .map(PartitionIdConditions::withId)
            .allMatch(
                partition ->
                    pruner.mustMatch(partition, condition)
                        || !pruner.mayMatch(partition, List.of(condition)));
    return decided ? Optional.of(condition) : Optional.empty();
  }

  /** Whether the rows of the partition meet all of {@code conditions}, which are decidable. */
  public boolean hold(Partition partition, List<Expression> conditions) {
    return pruner.mayMatch(withId(partition), conditions);
  }

  /** The partition with its id as the only value of the column. */
  private static Partition withId(Partition partition) {
    Literal id =
        Literal.newBuilder().setType(WireTypes.STRING).setString(partition.getId()).build();
    ColumnBounds.Builder bounds =
        ColumnBounds.newBuilder()
            .setColumn(COLUMN)
            .setValues(LiteralList.newBuilder().addItems(id));
    return Partition.newBuilder()
        .setId(partition.getId())
        .setRows(partition.getRows())
        .addBounds(bounds)
        .build();
  }
}
