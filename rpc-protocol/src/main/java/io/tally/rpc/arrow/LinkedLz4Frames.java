package io.tally.rpc.arrow;

import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;

/**
 * Reads LZ4 frames whose blocks refer to those before them. A class of its own, so that all others
 * do without Commons Compress where there is none, as in a node.
 */
final class LinkedLz4Frames {
  private LinkedLz4Frames() {}

  /**
   * What a frame stands for.
   *
   * @throws LinkageError if Commons Compress is not there
   */
  static InputStream open(InputStream frame) throws IOException {
    return new FramedLZ4CompressorInputStream(frame);
  }
}
