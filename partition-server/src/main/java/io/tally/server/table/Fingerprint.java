package io.tally.server.table;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Hashes what identifies a content into a short text, the same on every node that holds a copy.
 *
 * <p>Neither paths nor times go into it. Of a file go its size and its bytes: all of them up to
 * {@value #WHOLE_FILE_BYTES} bytes; of a larger file {@value #SAMPLES} blocks of {@value
 * #BLOCK_BYTES} bytes, spread evenly from its very first to its very last byte, so that a start
 * never waits for the hashing of terabytes. Files that were written separately differ in nearly
 * every block, in a Parquet file at least in the footer at its end; what sampling cannot see is a
 * large file that was patched in place without a change of size.
 */
final class Fingerprint {
  static final long WHOLE_FILE_BYTES = 64L << 20;
  static final int BLOCK_BYTES = 1 << 20;
  static final int SAMPLES = 64;

  private static final int HEX_CHARS = 32;

  private final MessageDigest digest;

  Fingerprint() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** Adds a text; where it ends counts too. */
  Fingerprint add(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    add(bytes.length);
    digest.update(bytes);
    return this;
  }

  Fingerprint add(long number) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
    return this;
  }

  /** Adds size and bytes of a file. */
  Fingerprint add(StoredFile file) throws IOException {
    add(file.sizeBytes());
    try (SeekableByteChannel channel = Files.newByteChannel(file.path())) {
      ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
      if (file.sizeBytes() <= WHOLE_FILE_BYTES) {
        while (addBlock(channel, block)) {}
      } else {
        long lastBlock = file.sizeBytes() - BLOCK_BYTES;
        for (int sample = 0; sample < SAMPLES; sample++) {
          channel.position(lastBlock / (SAMPLES - 1) * sample);
          if (sample == SAMPLES - 1) {
            channel.position(lastBlock);
          }
          addBlock(channel, block);
        }
      }
    }
    return this;
  }

  /** The hash of all that was added. */
  String text() {
    return HexFormat.of().formatHex(digest.digest()).substring(0, HEX_CHARS);
  }

  private boolean addBlock(SeekableByteChannel channel, ByteBuffer block) throws IOException {
    block.clear();
    while (block.hasRemaining() && channel.read(block) >= 0) {}
    digest.update(block.flip());
    return block.limit() > 0;
  }
}
