package io.tally.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What a client and a node of version 1 said to each other, recorded as bytes, and the eyes of that
 * version: its messages as they were described then, without today's generated code.
 */
final class RecordedTalk {
  /** Passes messages on as the bytes that they are on the wire. */
  static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private static final Path FOLDER = Path.of("src/test/resources/v1");

  /**
   * One call.
   *
   * @param status name of gRPC's
   * @param detail of the error; empty if there was none
   */
  record Call(
      String method,
      List<byte[]> requests,
      List<byte[]> answers,
      String status,
      ByteString detail) {}

  private final List<Call> calls = new ArrayList<>();
  private final List<FileDescriptor> files = new ArrayList<>();

  RecordedTalk() throws IOException, DescriptorValidationException {
    String method = "";
    List<byte[]> requests = new ArrayList<>();
    List<byte[]> answers = new ArrayList<>();
    for (String line : Files.readAllLines(FOLDER.resolve("conversation.txt"))) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "call" -> method = words[1];
        case ">" -> requests.add(HexFormat.of().parseHex(words[1]));
        case "<" -> answers.add(HexFormat.of().parseHex(words[1]));
        case "end" -> {
          ByteString detail =
              ByteString.copyFrom(HexFormat.of().parseHex(words.length > 2 ? words[2] : ""));
          calls.add(
              new Call(method, List.copyOf(requests), List.copyOf(answers), words[1], detail));
          requests.clear();
          answers.clear();
        }
        default -> {} // a comment
      }
    }
    byte[] described = Files.readAllBytes(FOLDER.resolve("protocol.binpb"));
    for (FileDescriptorProto file : FileDescriptorSet.parseFrom(described).getFileList()) {
      files.add(FileDescriptor.buildFrom(file, files.toArray(new FileDescriptor[0])));
    }
  }

  List<Call> calls(String method) {
    return calls.stream().filter(call -> call.method.equals(method)).toList();
  }

  /** A message as version 1 sees it: fields that came later are not there. */
  Message asOfVersionOne(String type, byte[] message) throws InvalidProtocolBufferException {
    for (FileDescriptor file : files) {
      if (file.findMessageTypeByName(type) != null) {
        return known(DynamicMessage.parseFrom(file.findMessageTypeByName(type), message));
      }
    }
    throw new AssertionError(type);
  }

  private static Message known(Message message) {
    Message.Builder known =
        message.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance());
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                known.setField(
                    field,
                    value instanceof List<?> list
                        ? list.stream().map(each -> known((Message) each)).toList()
                        : known((Message) value));
              }
            });
    return known.build();
  }
}
