package io.tally.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ShownTextTest {
  @Test
  void ordinaryNamesStayAsTheyAre() {
    for (String name : new String[] {"", "flights", "2001-01", "Größe", "量", "😀 x", "a'b"}) {
      assertEquals(name, ShownText.name(name));
      assertEquals(name, ShownText.line(name, 100));
    }
  }

  @Test
  void aNameCannotEndTheLineOrTheQuotation() {
    assertEquals(
        "t\\\" failed\\u000d\\u000a12:00 INFO scan \\\\",
        ShownText.name("t\" failed\r\n12:00 INFO scan \\"));
    assertEquals(
        "\\u0000\\u001b[31m\\u2028\\u0085\\u202e",
        ShownText.name("\0\u001b[31m\u2028\u0085\u202e"));
  }

  @Test
  void longTextIsCut() {
    assertEquals("x".repeat(99) + "…", ShownText.name("x".repeat(1 << 20)));
    assertEquals("x".repeat(100), ShownText.name("x".repeat(100)));
    assertEquals("a\\u000a…", ShownText.line("a\nbc", 3));
  }
}
