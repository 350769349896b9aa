package io.tally.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.tally.rpc.v1.DescribeNodeRequest;
import io.tally.rpc.v1.DescribeNodeResponse;
import io.tally.rpc.v1.DescribeTableRequest;
import io.tally.rpc.v1.DescribeTableResponse;
import io.tally.rpc.v1.ErrorDetail;
import io.tally.rpc.v1.Expression;
import io.tally.rpc.v1.ScanRequest;
import io.tally.rpc.v1.ScanResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Version 1 of the protocol as it was written down: messages as text and as bytes, and each field,
 * value and method on a line. What today's code makes of them may not change. Files are added for
 * what is new; none is ever edited.
 */
class FrozenProtocolTest {
  private static final Path FROZEN = Path.of("src/test/resources/v1");
  private static final String TYPE = "# proto-message: ";
  private static final String BYTES = "# bytes: ";

  private static final Map<String, Message> TYPES =
      Stream.<Message>of(
              DescribeNodeRequest.getDefaultInstance(),
              DescribeNodeResponse.getDefaultInstance(),
              DescribeTableRequest.getDefaultInstance(),
              DescribeTableResponse.getDefaultInstance(),
              ScanRequest.getDefaultInstance(),
              ScanResponse.getDefaultInstance(),
              ErrorDetail.getDefaultInstance())
          .collect(
              Collectors.toMap(
                  type -> type.getDescriptorForType().getFullName(), Function.identity()));

  /** A message that was written down; {@code bytes} as hexadecimal digits. */
  private record Written(Path file, Message type, Message message, String bytes) {
    @Override
    public String toString() {
      return file.getFileName().toString();
    }
  }

  static List<Written> messages() throws IOException {
    try (Stream<Path> files = Files.list(FROZEN.resolve("messages"))) {
      List<Written> written = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        String text = Files.readString(file);
        Message type = TYPES.get(comments(text, TYPE));
        Message.Builder message = type.newBuilderForType();
        TextFormat.merge(text, message);
        written.add(new Written(file, type, message.build(), comments(text, BYTES)));
      }
      return written;
    }
  }

  private static String comments(String text, String prefix) {
    return text.lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()).strip())
        .collect(Collectors.joining());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("messages")
  void bytesAreReadAsTheyWere(Written written) throws Exception {
    Message read =
        written.type.getParserForType().parseFrom(HexFormat.of().parseHex(written.bytes));
    assertEquals(written.message, read);
    assertTrue(read.getUnknownFields().asMap().isEmpty(), "every field is known");
  }

  /** No message has a map, so the bytes of the same values are the same. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("messages")
  void bytesAreWrittenAsTheyWere(Written written) {
    assertEquals(
        written.bytes, HexFormat.of().formatHex(written.message.toByteArray()), written.toString());
  }

  @Test
  void fieldsValuesAndMethodsAreWhatTheyWere() throws Exception {
    List<String> today = lines();
    List<String> frozen = Files.readAllLines(FROZEN.resolve("protocol.txt"));
    List<String> gone = new ArrayList<>(frozen);
    gone.removeAll(today);
    assertEquals(List.of(), gone, "no line of protocol.txt may change or go");
    List<String> added = new ArrayList<>(today);
    added.removeAll(frozen);
    assertEquals(List.of(), added, "append these lines to protocol.txt, and write a message down");
  }

  @Test
  void everyFieldIsInSomeMessage() throws Exception {
    Set<String> missing = new TreeSet<>();
    descriptors().forEach(type -> type.getFields().forEach(field -> missing.add(name(field))));
    for (Written written : messages()) {
      remove(missing, written.message);
    }
    assertEquals(Set.of(), missing);
  }

  private static void remove(Set<String> missing, Message message) {
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              missing.remove(name(field));
              List<?> values = value instanceof List<?> list ? list : List.of(value);
              for (Object each : values) {
                if (each instanceof Message part) {
                  remove(missing, part);
                }
              }
            });
  }

  private static List<FileDescriptor> files() {
    return List.of(Expression.getDescriptor().getFile(), ScanRequest.getDescriptor().getFile());
  }

  private static Stream<Descriptor> descriptors() {
    return files().stream().flatMap(file -> file.getMessageTypes().stream());
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    descriptors().forEach(type -> type.getFields().forEach(field -> lines.add(line(field))));
    Stream.concat(
            files().stream().flatMap(file -> file.getEnumTypes().stream()),
            descriptors().flatMap(type -> type.getEnumTypes().stream()))
        .forEach(type -> addValues(type, lines));
    files().stream()
        .flatMap(file -> file.getServices().stream())
        .flatMap(service -> service.getMethods().stream())
        .forEach(
            method ->
                lines.add(
                    method.getFullName()
                        + (method.isClientStreaming() ? " stream " : " ")
                        + method.getInputType().getFullName()
                        + " ->"
                        + (method.isServerStreaming() ? " stream " : " ")
                        + method.getOutputType().getFullName()));
    return lines.stream().sorted().toList();
  }

  private static void addValues(EnumDescriptor type, List<String> lines) {
    type.getValues()
        .forEach(
            value ->
                lines.add(type.getFullName() + " " + value.getName() + " = " + value.getNumber()));
  }

  private static String name(FieldDescriptor field) {
    return field.getFullName();
  }

  private static String line(FieldDescriptor field) {
    String type =
        switch (field.getJavaType()) {
          case MESSAGE -> field.getMessageType().getFullName();
          case ENUM -> field.getEnumType().getFullName();
          default -> field.getType().name().toLowerCase(Locale.ROOT);
        };
    String label =
        field.isRepeated()
            ? "repeated "
            : field.getRealContainingOneof() != null
                ? "oneof " + field.getRealContainingOneof().getName() + " "
                : field.toProto().getProto3Optional() ? "optional " : "";
    return name(field) + " = " + field.getNumber() + " " + label + type;
  }
}
