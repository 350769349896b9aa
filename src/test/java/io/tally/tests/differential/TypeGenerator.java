package io.tally.tests.differential;

import io.tally.tests.SparkRelease;
import java.util.List;

/** Chooses the types of columns. */
final class TypeGenerator {
  private static final List<Type> DECIMALS =
      List.of(
          Type.decimal(1, 0),
          Type.decimal(3, 1),
          Type.decimal(5, 2),
          Type.decimal(9, 0),
          Type.decimal(10, 2),
          Type.decimal(18, 4),
          Type.decimal(19, 2),
          Type.decimal(28, 10),
          Type.decimal(38, 0),
          Type.decimal(38, 18),
          Type.decimal(38, 38));

  private static final List<Type> INTERVALS =
      List.of(
          Type.of(Kind.YEAR_MONTH),
          Type.of(Kind.YEAR_MONTH),
          Type.interval(Kind.YEAR_MONTH, "YEAR", 12),
          Type.interval(Kind.YEAR_MONTH, "MONTH", 1),
          Type.of(Kind.DAY_TIME),
          Type.of(Kind.DAY_TIME),
          Type.interval(Kind.DAY_TIME, "DAY", 86_400),
          Type.interval(Kind.DAY_TIME, "DAY TO HOUR", 3_600),
          Type.interval(Kind.DAY_TIME, "HOUR TO MINUTE", 60),
          Type.interval(Kind.DAY_TIME, "SECOND", 0));

  private TypeGenerator() {}

  static Type any(Dice dice) {
    int roll = dice.below(100);
    if (roll < 82) {
      return scalar(dice);
    }
    if (roll < 88) {
      return dice.chance(50)
          ? Type.characters("CHAR", dice.between(1, 6))
          : Type.characters("VARCHAR", dice.between(4, 12));
    }
    return switch (dice.below(4)) {
      case 0 -> Type.array(inner(dice));
      case 1 -> Type.map(Type.of(dice.pick(Kind.STRING, Kind.INT)), inner(dice));
      case 2 -> Type.of(Kind.VARIANT);
      default ->
          Type.struct(
              List.of(
                  inner(dice),
                  inner(dice),
                  dice.chance(30) ? Type.struct(List.of(inner(dice))) : inner(dice)));
    };
  }

  private static Type scalar(Dice dice) {
    return switch (dice.below(23)) {
      case 0 -> Type.of(Kind.BOOLEAN);
      case 1 -> Type.of(Kind.BYTE);
      case 2 -> Type.of(Kind.SHORT);
      case 3, 4 -> Type.of(Kind.INT);
      case 6, 7 -> Type.of(Kind.LONG);
      case 8 -> Type.of(Kind.FLOAT);
      case 9 -> Type.of(Kind.DOUBLE);
      case 10, 11 -> dice.pick(DECIMALS);
      case 12, 13 -> Type.of(Kind.STRING);
      case 14 -> Type.of(Kind.BINARY);
      case 15 -> Type.of(Kind.DATE);
      case 16 -> Type.of(Kind.TIMESTAMP);
      case 17 -> Type.of(Kind.TIMESTAMP_NTZ);
      case 18, 19 -> dice.pick(INTERVALS);
      case 20 -> Type.of(SparkRelease.isAtLeast(1) ? Kind.TIME : Kind.DATE);
      case 21 -> Type.of(Kind.COLLATED);
      default -> Type.of(Kind.INT);
    };
  }

  /**
   * Without BINARY: bytes inside of nested values have no readable form in results. Nor with text
   * of which one of several spellings comes out.
   */
  private static Type inner(Dice dice) {
    Type type = scalar(dice);
    return type.kind() == Kind.BINARY || type.kind() == Kind.COLLATED ? Type.of(Kind.STRING) : type;
  }
}
