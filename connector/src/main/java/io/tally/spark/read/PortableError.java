package io.tally.spark.read;

import io.tally.rpc.TallyException;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;

/**
 * Takes an error of a task and gives one that can travel to the driver. Spark serialises it with
 * its causes, and where one cannot be (gRPC's are such), drops the error for its text; the driver
 * would not know its code.
 */
final class PortableError {
  private PortableError() {}

  /** The same error; causes that cannot travel are replaced by their text and stack trace. */
  static TallyException of(TallyException error) {
    if (error.getCause() == null || canTravel(error)) {
      return error;
    }
    TallyException portable =
        new TallyException(error.code(), error.getMessage(), asText(error.getCause()));
    portable.setStackTrace(error.getStackTrace());
    return portable;
  }

  private static Throwable asText(Throwable cause) {
    Throwable text =
        new RuntimeException(
            cause.toString(), cause.getCause() == null ? null : asText(cause.getCause()));
    text.setStackTrace(cause.getStackTrace());
    return text;
  }

  private static boolean canTravel(Throwable error) {
    try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
      out.writeObject(error);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
