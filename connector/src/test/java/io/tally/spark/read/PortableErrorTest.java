package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;

final class PortableErrorTest {
  private static final class Unserialisable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Object state = new Object();

    Unserialisable(String message) {
      super(message);
    }

    @Override
    public String getMessage() {
      return super.getMessage() + (state == null ? "" : ", with state");
    }
  }

  @Test
  void causesThatCannotTravelBecomeText() throws Exception {
    Unserialisable cause = new Unserialisable("connection refused");
    TallyException error = new TallyException(ErrorCode.NODE_UNREACHABLE, "Cannot reach a.", cause);
    TallyException arrived = travel(PortableError.of(error));
    assertEquals(ErrorCode.NODE_UNREACHABLE, arrived.code());
    assertTrue(arrived.retryable());
    assertEquals("Cannot reach a.", arrived.getMessage());
    assertArrayEquals(error.getStackTrace(), arrived.getStackTrace());
    assertEquals(cause.toString(), arrived.getCause().getMessage());
    assertArrayEquals(cause.getStackTrace(), arrived.getCause().getStackTrace());
  }

  @Test
  void othersStayAsTheyAre() {
    TallyException plain = new TallyException(ErrorCode.INTERNAL, "x");
    assertSame(plain, PortableError.of(plain));
    TallyException caused =
        new TallyException(ErrorCode.INTERNAL, "x", new IllegalStateException("y"));
    assertSame(caused, PortableError.of(caused));
  }

  private static TallyException travel(TallyException error) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(error);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (TallyException) in.readObject();
    }
  }
}
