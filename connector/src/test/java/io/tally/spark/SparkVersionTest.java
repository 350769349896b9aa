package io.tally.spark;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SparkVersionTest {
  @Test
  void thisOneWillDo() {
    assertDoesNotThrow(() -> SparkVersion.check());
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.0.0", "4.3.0", "4.12.0-preview1", "4.1.0-SNAPSHOT"})
  void everySpark4WillDo(String version) {
    assertDoesNotThrow(() -> SparkVersion.check(version));
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.5.9", "5.0.0", "40.1"})
  void othersAreRefusedByName(String version) {
    TallyException refused = assertThrows(TallyException.class, () -> SparkVersion.check(version));
    assertEquals(ErrorCode.UNSUPPORTED_FEATURE, refused.code());
    assertTrue(refused.getMessage().contains("Spark " + version), refused.getMessage());
  }
}
