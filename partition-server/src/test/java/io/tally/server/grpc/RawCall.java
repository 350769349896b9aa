package io.tally.server.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.tally.rpc.TallyException;
import io.tally.rpc.TallyStatus;
import io.tally.rpc.v1.PartitionServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call of Scan that says bytes, whether they are messages or not. */
final class RawCall extends ClientCall.Listener<byte[]> {
  private static final long LIMIT_SECONDS = 60;

  /** So many messages of an answer are heard before the call is cancelled. */
  private static final int MOST_MESSAGES = 6;

  private static final MethodDescriptor<byte[], byte[]> SCAN =
      PartitionServiceGrpc.getScanMethod().toBuilder(new Bytes(), new Bytes()).build();

  private final ClientCall<byte[], byte[]> call;
  private final CompletableFuture<Optional<TallyException>> end = new CompletableFuture<>();
  private int messages;

  private RawCall(ClientCall<byte[], byte[]> call) {
    this.call = call;
  }

  /**
   * Says all, listens to a few messages, and gives the error that the call ends with, if it is not
   * this client that ends it.
   */
  static Optional<TallyException> say(Channel channel, List<byte[]> words)
      throws InterruptedException, ExecutionException, TimeoutException {
    RawCall raw = new RawCall(channel.newCall(SCAN, CallOptions.DEFAULT));
    raw.call.start(raw, new Metadata());
    raw.call.request(1);
    words.forEach(raw.call::sendMessage);
    raw.call.halfClose();
    return raw.end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void onMessage(byte[] message) {
    messages++;
    if (messages == MOST_MESSAGES) {
      end.complete(Optional.empty());
      call.cancel("the test has heard enough", null);
    }
    call.request(1);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    end.complete(
        status.isOk()
            ? Optional.empty()
            : Optional.of(TallyStatus.fromStatus("the node", status, trailers)));
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      return new byte[0];
    }
  }
}
