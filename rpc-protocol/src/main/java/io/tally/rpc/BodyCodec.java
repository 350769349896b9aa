package io.tally.rpc;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How bodies of batches may be compressed on the wire, see {@code Open.body_codec}. */
public enum BodyCodec {
  /** They are not. */
  NONE,
  /** Each buffer is an LZ4 frame. */
  LZ4,
  /** Each buffer is a Zstandard frame. */
  ZSTD;

  /** Those that compress. */
  public static List<BodyCodec> compressing() {
    return List.of(LZ4, ZSTD);
  }

  /** The codec of that {@code Open.body_codec}. */
  public static Optional<BodyCodec> ofWireName(String name) {
    return Arrays.stream(values()).filter(codec -> codec.wireName().equals(name)).findFirst();
  }

  /** What an option calls it. */
  public String optionName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What {@code Open.body_codec} calls it: nothing, for none. */
  public String wireName() {
    return this == NONE ? "" : optionName();
  }

  /** The feature of a node that compresses so; none has that of {@link #NONE}. */
  public String feature() {
    return "body." + optionName();
  }
}
