package io.tally.rpc;

import static io.tally.rpc.WireTypes.BIGINT;
import static io.tally.rpc.WireTypes.BOOLEAN;
import static io.tally.rpc.WireTypes.DATE;
import static io.tally.rpc.WireTypes.DOUBLE;
import static io.tally.rpc.WireTypes.INTEGER;
import static io.tally.rpc.WireTypes.MAX_PRECISION;
import static io.tally.rpc.WireTypes.STRING;
import static io.tally.rpc.WireTypes.TIMESTAMP;
import static io.tally.rpc.WireTypes.TIMESTAMP_NTZ;

import io.tally.rpc.Signature.Argument;
import io.tally.rpc.v1.DataType;
import io.tally.rpc.v1.Literal;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;

/** The signatures that {@link ScalarFunction} chooses from. */
final class Signatures {
  static final Set<String> DATE_UNITS = Set.of("year", "quarter", "month", "week");

  /** The most digits that a DOUBLE holds whatever they are. */
  private static final int DOUBLE_DIGITS = 15;

  /** {@code DecimalType.MINIMUM_ADJUSTED_SCALE} of Spark. */
  private static final int KEPT_SCALE = 6;

  /** With more digits behind the point, programs disagree on how small numbers are written. */
  private static final int MAX_TEXT_SCALE = 6;

  private Signatures() {}

  static Signature comparison() {
    return fixed("T, T", "B", BOOLEAN, args -> args.size() == 2 && oneType(args));
  }

  static Signature in() {
    return fixed("T, T…", "B", BOOLEAN, args -> args.size() >= 2 && oneType(args));
  }

  /** Of any type, also of one that expressions cannot otherwise use. */
  static Signature nullTest() {
    return fixed("any", "B", BOOLEAN, args -> args.size() == 1);
  }

  static Signature connective() {
    return fixed("B, B…", "B", BOOLEAN, args -> !args.isEmpty() && all(args, BOOLEAN));
  }

  static Signature negation() {
    return fixed("B", "B", BOOLEAN, args -> args.size() == 1 && all(args, BOOLEAN));
  }

  static Signature textTest() {
    return fixed("S, S", "B", BOOLEAN, args -> args.size() == 2 && all(args, STRING));
  }

  /** One or more of one type that {@code allowed} allows, which is that of the result. */
  static Signature sameTypes(String arguments, Predicate<DataType> allowed) {
    return of(
        arguments,
        "T",
        args ->
            !args.isEmpty() && oneType(args) && allowed.test(args.get(0).type())
                ? Optional.of(args.get(0).type())
                : Optional.empty());
  }

  /** Exactly {@code count} of one type that {@code allowed} allows. */
  static Signature sameTypes(String arguments, int count, Predicate<DataType> allowed) {
    Signature any = sameTypes(arguments, allowed);
    return new Signature(
        arguments,
        "T",
        (args, target) ->
            args.size() == count ? any.rule().result(args, target) : Optional.empty());
  }

  static Signature caseWhen() {
    return of("B, T, B, T…, T", "T", Signatures::caseWhenType);
  }

  private static Optional<DataType> caseWhenType(List<Argument> args) {
    if (args.size() < 2) {
      return Optional.empty();
    }
    DataType type = args.get(1).type();
    for (int i = 0; i < args.size(); i++) {
      boolean condition = i % 2 == 0 && i + 1 < args.size();
      if (!args.get(i).type().equals(condition ? BOOLEAN : type)) {
        return Optional.empty();
      }
    }
    return Optional.of(type);
  }

  /** Two numbers: equal types, or decimals, whose result {@code decimals} gives. */
  static Signature arithmetic(String result, BinaryOperator<DataType> decimals) {
    return of(
        "N, N",
        result,
        args -> {
          if (args.size() != 2) {
            return Optional.empty();
          }
          DataType left = args.get(0).type();
          DataType right = args.get(1).type();
          if (WireTypes.isDecimal(left) && WireTypes.isDecimal(right)) {
            return capped(decimals.apply(left, right));
          }
          return left.equals(right) && WireTypes.isNumeric(left)
              ? Optional.of(left)
              : Optional.empty();
        });
  }

  /**
   * The type with no more digits than there may be. Where that would have to take digits from
   * behind the point, Spark has two modes; up to so many behind the point, both are this.
   */
  private static Optional<DataType> capped(DataType type) {
    if (type.getPrecision() <= MAX_PRECISION) {
      return Optional.of(type);
    }
    return type.getScale() <= KEPT_SCALE
        ? Optional.of(WireTypes.decimal(MAX_PRECISION, type.getScale()))
        : Optional.empty();
  }

  static DataType sumOf(DataType left, DataType right) {
    int scale = Math.max(left.getScale(), right.getScale());
    int whole =
        Math.max(left.getPrecision() - left.getScale(), right.getPrecision() - right.getScale());
    return WireTypes.decimal(whole + scale + 1, scale);
  }

  static DataType productOf(DataType left, DataType right) {
    return WireTypes.decimal(
        left.getPrecision() + right.getPrecision() + 1, left.getScale() + right.getScale());
  }

  /** A number, and a literal of its type that is neither NULL nor zero. */
  static Signature byLiteral(String arguments, Predicate<DataType> allowed) {
    return of(
        arguments,
        "T",
        args ->
            args.size() == 2
                    && oneType(args)
                    && allowed.test(args.get(0).type())
                    && isNotZero(args.get(1))
                ? Optional.of(args.get(0).type())
                : Optional.empty());
  }

  private static boolean isNotZero(Argument argument) {
    Literal literal = argument.expression().getLiteral();
    return switch (literal.getValueCase()) {
      case INTEGER -> literal.getInteger() != 0;
      case FLOAT32 -> literal.getFloat32() != 0;
      case FLOAT64 -> literal.getFloat64() != 0;
      default -> false;
    };
  }

  static Signature squareRoot() {
    return fixed("DOUBLE", "DOUBLE", DOUBLE, args -> args.size() == 1 && all(args, DOUBLE));
  }

  static Signature toWhole() {
    return of(
        "DECIMAL(p,s), s > 0",
        "DECIMAL(p-s+1,0)",
        args ->
            args.size() == 1
                    && WireTypes.isDecimal(args.get(0).type())
                    && args.get(0).type().getScale() > 0
                ? Optional.of(rounded(args.get(0).type(), 0))
                : Optional.empty());
  }

  static Signature round() {
    return of(
        "DECIMAL(p,s), digits",
        "DECIMAL(p-s+1+digits,digits)",
        args -> {
          if (args.size() != 2 || !WireTypes.isDecimal(args.get(0).type())) {
            return Optional.empty();
          }
          DataType type = args.get(0).type();
          OptionalLong digits = integer(args.get(1));
          return digits.isPresent()
                  && digits.getAsLong() >= 0
                  && digits.getAsLong() < type.getScale()
              ? Optional.of(rounded(type, (int) digits.getAsLong()))
              : Optional.empty();
        });
  }

  private static DataType rounded(DataType type, int digits) {
    return WireTypes.decimal(type.getPrecision() - type.getScale() + 1 + digits, digits);
  }

  static Signature textToInteger() {
    return fixed("S", "INTEGER", INTEGER, args -> args.size() == 1 && all(args, STRING));
  }

  static Signature substring() {
    return fixed(
        "S, from[, length]",
        "S",
        STRING,
        args ->
            (args.size() == 2 || args.size() == 3)
                && args.get(0).type().equals(STRING)
                && atLeast(args.get(1), 1)
                && (args.size() == 2 || atLeast(args.get(2), 0)));
  }

  static Signature lastCharacters() {
    return fixed(
        "S, length",
        "S",
        STRING,
        args -> args.size() == 2 && args.get(0).type().equals(STRING) && atLeast(args.get(1), 1));
  }

  static Signature concat() {
    return fixed("S, S…", "S", STRING, args -> !args.isEmpty() && all(args, STRING));
  }

  static Signature translate() {
    return fixed(
        "S, from, to",
        "S",
        STRING,
        args ->
            args.size() == 3
                && all(args, STRING)
                && text(args.get(1)).filter(Signatures::hasDistinctCharacters).isPresent()
                && text(args.get(2)).isPresent());
  }

  private static boolean hasDistinctCharacters(String text) {
    return text.codePoints().distinct().count() == text.codePoints().count();
  }

  static Signature trim() {
    return fixed(
        "S, characters",
        "S",
        STRING,
        args -> args.size() == 2 && all(args, STRING) && text(args.get(1)).isPresent());
  }

  static Signature pad() {
    return fixed(
        "S, length, padding",
        "S",
        STRING,
        args ->
            args.size() == 3
                && args.get(0).type().equals(STRING)
                && atLeast(args.get(1), 0)
                && text(args.get(2)).filter(padding -> !padding.isEmpty()).isPresent());
  }

  static Signature digest() {
    return fixed("BINARY", "S", STRING, args -> args.size() == 1 && all(args, WireTypes.BINARY));
  }

  static Signature dateAdd() {
    return fixed(
        "DATE, INTEGER",
        "DATE",
        DATE,
        args ->
            args.size() == 2
                && args.get(0).type().equals(DATE)
                && args.get(1).type().equals(INTEGER));
  }

  static Signature dateDiff() {
    return fixed("DATE, DATE", "INTEGER", INTEGER, args -> args.size() == 2 && all(args, DATE));
  }

  static Signature truncateDate() {
    return fixed(
        "DATE, unit",
        "DATE",
        DATE,
        args ->
            args.size() == 2
                && args.get(0).type().equals(DATE)
                && text(args.get(1)).filter(DATE_UNITS::contains).isPresent());
  }

  static Signature datePart() {
    return fixed("DATE", "INTEGER", INTEGER, args -> args.size() == 1 && all(args, DATE));
  }

  static Signature timePart() {
    return fixed(
        "TIMESTAMP_NTZ", "INTEGER", INTEGER, args -> args.size() == 1 && all(args, TIMESTAMP_NTZ));
  }

  static Signature toLocal() {
    return fixed(
        "TIMESTAMP, seconds[, from, seconds]…",
        "TIMESTAMP_NTZ",
        TIMESTAMP_NTZ,
        args -> {
          if (args.size() < 2 || args.size() % 2 != 0 || !args.get(0).type().equals(TIMESTAMP)) {
            return false;
          }
          long before = Long.MIN_VALUE;
          for (int i = 1; i < args.size(); i += 2) {
            if (integer(args.get(i)).isEmpty()) {
              return false;
            }
            if (i + 1 < args.size()) {
              Literal from = args.get(i + 1).expression().getLiteral();
              if (!from.getType().equals(TIMESTAMP)
                  || !from.hasInteger()
                  || from.getInteger() <= before) {
                return false;
              }
              before = from.getInteger();
            }
          }
          return true;
        });
  }

  static Signature cast() {
    return new Signature(
        "see below",
        "type",
        (args, target) ->
            args.size() == 1 && isCast(args.get(0).type(), target)
                ? Optional.of(target)
                : Optional.empty());
  }

  private static boolean isCast(DataType from, DataType to) {
    return switch (to.getKind()) {
      case TINYINT, SMALLINT, INTEGER, BIGINT ->
          WireTypes.isInteger(from) || WireTypes.isDecimal(from) || from.equals(BOOLEAN);
      case FLOAT -> WireTypes.isInteger(from);
      case DOUBLE ->
          WireTypes.isInteger(from)
              || from.getKind() == DataType.Kind.FLOAT
              || (WireTypes.isDecimal(from) && from.getPrecision() <= DOUBLE_DIGITS);
      case DECIMAL -> WireTypes.isInteger(from) || WireTypes.isDecimal(from);
      case BOOLEAN -> WireTypes.isInteger(from);
      case STRING ->
          WireTypes.isInteger(from) || from.equals(BOOLEAN) || from.equals(DATE) || isPlain(from);
      case BINARY -> from.equals(STRING);
      case DATE -> from.equals(TIMESTAMP_NTZ);
      case TIMESTAMP_NTZ -> from.equals(DATE);
      default -> false;
    };
  }

  /** Whether all programs write a decimal of this type in the same way. */
  private static boolean isPlain(DataType type) {
    return WireTypes.isDecimal(type)
        && type.getScale() <= MAX_TEXT_SCALE
        && type.getScale() < type.getPrecision();
  }

  private static Signature fixed(
      String arguments, String name, DataType result, Predicate<List<Argument>> takes) {
    return of(arguments, name, args -> takes.test(args) ? Optional.of(result) : Optional.empty());
  }

  private interface Untargeted {
    Optional<DataType> result(List<Argument> arguments);
  }

  /** Of a function whose calls have no type of their own. */
  private static Signature of(String arguments, String name, Untargeted rule) {
    return new Signature(
        arguments,
        name,
        (args, target) ->
            target.equals(DataType.getDefaultInstance()) ? rule.result(args) : Optional.empty());
  }

  private static boolean all(List<Argument> args, DataType type) {
    return args.stream().allMatch(argument -> argument.type().equals(type));
  }

  private static boolean oneType(List<Argument> args) {
    return all(args, args.get(0).type());
  }

  private static boolean atLeast(Argument argument, long least) {
    OptionalLong value = integer(argument);
    return value.isPresent() && value.getAsLong() >= least;
  }

  private static OptionalLong integer(Argument argument) {
    Literal literal = argument.expression().getLiteral();
    boolean fits = literal.getType().equals(INTEGER) || literal.getType().equals(BIGINT);
    return fits && literal.hasInteger()
        ? OptionalLong.of(literal.getInteger())
        : OptionalLong.empty();
  }

  private static Optional<String> text(Argument argument) {
    Literal literal = argument.expression().getLiteral();
    return literal.hasString() ? Optional.of(literal.getString()) : Optional.empty();
  }
}
