package io.tally.spark.read;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

final class ProcessResourcesTest {
  @Test
  void tasksShareConnectionsUnlessTheirStreamsHaveOtherWindows() {
    assertSame(ProcessResources.channels(1 << 20), ProcessResources.channels(1 << 20));
    assertNotSame(ProcessResources.channels(1 << 20), ProcessResources.channels(2 << 20));
  }
}
