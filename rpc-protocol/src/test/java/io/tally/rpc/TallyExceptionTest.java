package io.tally.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tally.rpc.v1.ErrorCode;
import org.junit.jupiter.api.Test;

final class TallyExceptionTest {
  /** Whoever sees a stack trace can look the code up in docs/troubleshooting.md. */
  @Test
  void showsItsCode() {
    assertEquals(
        "io.tally.rpc.TallyException: [NODE_SILENT] Nothing came.",
        new TallyException(ErrorCode.NODE_SILENT, "Nothing came.").toString());
  }
}
