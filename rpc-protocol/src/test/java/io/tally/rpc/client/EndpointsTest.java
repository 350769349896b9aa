package io.tally.rpc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tally.rpc.ShownText;
import io.tally.rpc.TallyException;
import io.tally.rpc.v1.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointsTest {
  @Test
  void readsAListAndDropsDuplicates() {
    assertEquals(
        List.of(
            new NodeAddress("a", 7071),
            new NodeAddress("10.0.0.1", 1),
            new NodeAddress("::1", 65_535)),
        Endpoints.resolve("a:7071, 10.0.0.1:1 ,[::1]:65535,a:7071"));
  }

  @Test
  void addressesPrintAsTheyAreWritten() {
    assertEquals("a:7071", new NodeAddress("a", 7071).toString());
    assertEquals("[::1]:7071", new NodeAddress("::1", 7071).toString());
  }

  @Test
  void aDnsNameStandsForItsAddresses() {
    List<NodeAddress> addresses = Endpoints.resolve("dns:///localhost:7071");
    assertFalse(addresses.isEmpty());
    for (NodeAddress address : addresses) {
      assertEquals(7071, address.port());
      assertTrue(List.of("127.0.0.1", "0:0:0:0:0:0:0:1").contains(address.host()), address::host);
    }
  }

  @Test
  void aDnsNameThatDoesNotResolveIsUnreachable() {
    TallyException e =
        assertThrows(
            TallyException.class, () -> Endpoints.resolve("dns:///no-such-host.invalid:7071"));
    assertEquals(ErrorCode.NODE_UNREACHABLE, e.code());
    assertTrue(e.getMessage().contains("no-such-host.invalid"), e::getMessage);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a:",
        ":7071",
        "a:x",
        "a:0",
        "a:65536",
        "::1:7071",
        "http://a:7071",
        "dns:///a",
        "dns:///",
        "dns:///:7071",
        "a b:1",
        "a\tb:1",
        "a/b:1",
        "a@b:1",
        "a#b:1",
        "a?b:1",
        "a%b:1",
        "[::1",
        "[::1]",
        "[x]:1",
        "a:-1",
        "a:+1",
        "a:1:2",
        "a:١",
        "ä:1",
        "a\u0000:1",
        "a\u202e:1"
      })
  void namesThePartThatIsWrong(String wrong) {
    TallyException e =
        assertThrows(TallyException.class, () -> Endpoints.resolve("right:7071," + wrong));
    assertEquals(ErrorCode.INVALID_REQUEST, e.code());
    assertTrue(e.getMessage().startsWith("\"" + ShownText.name(wrong) + "\""), e::getMessage);
    assertTrue(e.getMessage().contains("host:port"), e::getMessage);
  }
}
