package io.tally.server.scan;

import io.tally.rpc.v1.Sample;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Takes a sample and gives, for each partition, the condition on a row's position that the protocol
 * defines, see partition_service.proto. All numbers fit 64 bits, so the engine computes it exactly.
 */
final class SampleSql {
  private static final long MODULUS = Integer.MAX_VALUE;

  private final Sample sample;

  /** Of a sample whose bounds were checked. */
  SampleSql(Sample sample) {
    this.sample = sample;
  }

  static boolean isSound(Sample sample) {
    return sample.getLower() >= 0
        && sample.getLower() <= sample.getUpper()
        && sample.getUpper() <= 1;
  }

  /**
   * A condition that is TRUE for the positions in the sample.
   *
   * @param position the quoted name of a BIGINT column, which is never NULL
   */
  String condition(String partition, String position) {
    long[] coefficients = coefficients(partition);
    String x = "(" + position + " % " + MODULUS + ")";
    String u = Long.toString(coefficients[coefficients.length - 1]);
    for (int i = coefficients.length - 2; i >= 0; i--) {
      u = "((" + u + " * " + x + " + " + coefficients[i] + ") % " + MODULUS + ")";
    }
    return u + " BETWEEN " + firstFrom(sample.getLower()) + " AND " + lastBelow(sample.getUpper());
  }

  private long[] coefficients(String partition) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, sample.getSeed()));
    ByteBuffer words = ByteBuffer.wrap(digest.digest(partition.getBytes(StandardCharsets.UTF_8)));
    long[] coefficients = new long[4];
    for (int i = 0; i < coefficients.length; i++) {
      coefficients[i] = Integer.toUnsignedLong(words.getInt()) % MODULUS;
    }
    return coefficients;
  }

  private static BigInteger firstFrom(double bound) {
    BigDecimal exact = new BigDecimal(bound).multiply(BigDecimal.valueOf(MODULUS));
    return exact.setScale(0, RoundingMode.CEILING).toBigIntegerExact();
  }

  private static BigInteger lastBelow(double bound) {
    return firstFrom(bound).subtract(BigInteger.ONE);
  }
}
