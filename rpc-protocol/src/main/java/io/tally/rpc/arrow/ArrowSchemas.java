package io.tally.rpc.arrow;

import com.google.protobuf.ByteString;
import org.apache.arrow.vector.types.pojo.Schema;

/** Arrow schemas to and from encapsulated IPC messages, as in {@code Opened.arrow_schema}. */
public final class ArrowSchemas {
  private ArrowSchemas() {}

  /** Encodes a schema without dictionaries. */
  public static ByteString encode(Schema schema) {
    throw new UnsupportedOperationException("skeleton");
  }

  /**
   * Decodes what {@link #encode}, or any Arrow library, wrote.
   *
   * @throws io.tally.rpc.TallyException PROTOCOL_VIOLATION if the bytes are not a schema message
   */
  public static Schema decode(ByteString message) {
    throw new UnsupportedOperationException("skeleton");
  }
}
