package io.tally.spark.read;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Takes the owners of a task's partitions and hands on which of them to ask for which partitions;
 * after a failure, who else may be asked. For one task, and one thread.
 */
final class OwnerChoice {
  /** What a node may meet that another owner of the same data does not. */
  private static final Set<ErrorCode> OF_ONE_NODE =
      EnumSet.of(
          ErrorCode.NOT_A_TALLY_NODE,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.PARTITION_NOT_FOUND,
          ErrorCode.LAYOUT_CHANGED,
          ErrorCode.UNSUPPORTED_FEATURE,
          ErrorCode.DATA_UNREADABLE);

  private final List<StreamOwner> left;
  private final Set<StreamOwner> avoided;
  private final boolean divisible;

  /**
   * One question.
   *
   * @param partitions positions in the task's list
   * @param replaceable whether others could answer it, if this owner does not
   */
  record Leg(StreamOwner owner, BitSet partitions, boolean replaceable) {}

  /**
   * @param owners those to be asked first in front
   * @param avoided those of them that are asked only where all others do not suffice
   * @param divisible whether answers of several nodes, one behind the other, are as good as one
   */
  OwnerChoice(List<StreamOwner> owners, Set<StreamOwner> avoided, boolean divisible) {
    this.left = new ArrayList<>(owners);
    this.avoided = Set.copyOf(avoided);
    this.divisible = divisible;
  }

  /** Whether another owner may answer where one has failed so. */
  static boolean mayHelp(TallyException failure) {
    return failure.retryable() || OF_ONE_NODE.contains(failure.code());
  }

  /** The owner is not to be asked again. */
  void exclude(StreamOwner owner) {
    left.remove(owner);
  }

  /**
   * Whom to ask next: one owner for all partitions if there is such a one, otherwise the one that
   * answers for most of them. Empty if nobody is left for some partition, or if they cannot be
   * divided.
   */
  Optional<Leg> next(BitSet partitions) {
    List<StreamOwner> preferred = left.stream().filter(owner -> !avoided.contains(owner)).toList();
    return first(partitions, preferred)
        .or(() -> first(partitions, left))
        .map(owner -> leg(owner, partitions));
  }

  private Leg leg(StreamOwner owner, BitSet partitions) {
    List<StreamOwner> others = new ArrayList<>(left);
    others.remove(owner);
    BitSet asked = owner.among(partitions);
    return new Leg(owner, asked, first(asked, others).isPresent());
  }

  private Optional<StreamOwner> first(BitSet partitions, List<StreamOwner> owners) {
    Optional<StreamOwner> most = Optional.empty();
    BitSet covered = new BitSet();
    int mostPartitions = 0;
    for (StreamOwner owner : owners) {
      BitSet held = owner.among(partitions);
      covered.or(held);
      if (held.cardinality() > mostPartitions) {
        most = Optional.of(owner);
        mostPartitions = held.cardinality();
      }
    }
    boolean all = covered.equals(partitions);
    return all && (divisible || mostPartitions == partitions.cardinality())
        ? most
        : Optional.empty();
  }
}
