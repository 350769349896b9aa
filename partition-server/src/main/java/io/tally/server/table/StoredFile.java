package io.tally.server.table;

import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/** A file as it was when the node started, to notice that it was changed since. */
record StoredFile(Path path, long sizeBytes, long modifiedNanos) {

  /** Looks at a file that is to be served. */
  static StoredFile of(Path path) throws CatalogException {
    if (!SqlText.hasPattern(path)) {
      throw CatalogException.data(
          path
              + " has a backslash and one of *, ? and [ in its path, which DuckDB cannot read;"
              + " rename it");
    }
    StoredFile file;
    try {
      if (Files.exists(path) && !Files.isRegularFile(path)) {
        throw CatalogException.data(
            path + " is not a file; name files, or a glob such as *.parquet");
      }
      file = read(path);
    } catch (IOException e) {
      throw CatalogException.data(
          path + " cannot be read; check that it exists and that the node may read it", e);
    }
    if (!Files.isReadable(path)) {
      throw CatalogException.data(path + " may not be read by the node; check its permissions");
    }
    if (file.sizeBytes == 0) {
      throw CatalogException.data(path + " is empty (0 bytes); write it again, or leave it out");
    }
    return file;
  }

  /**
   * Compares with the file as it is now.
   *
   * @param owner how to name the partition in a message
   * @throws TallyException LAYOUT_CHANGED, or DATA_UNREADABLE if it is gone
   */
  void checkUnchanged(String owner) {
    StoredFile now;
    try {
      now = read(path);
    } catch (IOException e) {
      throw new TallyException(
          ErrorCode.DATA_UNREADABLE,
          owner + ": " + path + " cannot be read any more; restore it and restart the node.",
          e);
    }
    if (!now.equals(this)) {
      throw new TallyException(
          ErrorCode.LAYOUT_CHANGED,
          owner
              + ": "
              + path
              + " was changed after the node started; restart the node to serve it.");
    }
  }

  private static StoredFile read(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return new StoredFile(
        path, attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS));
  }
}
