package io.tally.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NearestNameTest {
  @Test
  void offersTheNameWithTheFewestEdits() {
    assertEquals(
        Optional.of("flights"),
        NearestName.of("fligths", List.of("nights", "flights", "airports")));
  }

  @Test
  void ignoresCase() {
    assertEquals(Optional.of("Flights"), NearestName.of("FLIGHTS", List.of("airports", "Flights")));
  }

  @Test
  void offersNothingThatIsFarAway() {
    assertEquals(Optional.empty(), NearestName.of("flights", List.of("airports", "f", "")));
  }

  @Test
  void prefersTheFirstInTheAlphabetAmongEquals() {
    assertEquals(Optional.of("a1"), NearestName.of("a", List.of("a2", "a1")));
  }

  @Test
  void knowsNothingFromNothing() {
    assertEquals(Optional.empty(), NearestName.of("", List.of()));
    assertEquals(Optional.empty(), NearestName.of("x".repeat(1_000), List.of("x".repeat(1_000))));
  }

  @Test
  void swappedNeighboursAreOneMistake() {
    assertEquals(Optional.of("host"), NearestName.of("hots", List.of("host", "port", "node")));
    assertEquals(Optional.of("table"), NearestName.of("tabel", List.of("table", "tables-of")));
  }
}
