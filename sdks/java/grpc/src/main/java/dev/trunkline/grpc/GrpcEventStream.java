package dev.trunkline.grpc;

import com.google.protobuf.DynamicMessage;
import dev.trunkline.ConnectionException;
import dev.trunkline.EventStream;
import dev.trunkline.TrunklineException;
import dev.trunkline.api.Request;
import dev.trunkline.model.ChangeEvent;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Changes over gRPC. */
final class GrpcEventStream extends EventStream {
  private static final String CALL = "events";
  private static final Contract.Method WATCH =
      Contract.find(new Request(CALL, "GET", "/v1/events", Map.of(), null, false), Map.of()).orElseThrow();

  private final GrpcTransport transport;

  GrpcEventStream(
      GrpcTransport transport, Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    super(opened, each, failed);
    this.transport = transport;
  }

  @Override
  protected void read() throws Exception {
    Link.Connection connection = transport.link().connection();
    BlockingQueue<Object> arrived = new LinkedBlockingQueue<>();
    var method = GrpcTransport.method(WATCH.path(), MethodType.SERVER_STREAMING, WATCH.input(), WATCH.output());
    ClientCall<DynamicMessage, DynamicMessage> call = connection.channel().newCall(method, CallOptions.DEFAULT);
    call.start(new Arrivals(arrived), transport.metadata(null));
    try {
      call.sendMessage(DynamicMessage.getDefaultInstance(WATCH.input()));
      call.halfClose();
      boolean isOpen = false;
      while (true) {
        // One at a time: nothing is read while whoever follows is busy.
        call.request(1);
        Object next = arrived.poll(transport.silenceNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
          transport.link().replace(connection, System.nanoTime());
          throw new ConnectionException(CALL + ": nothing came for too long", null);
        }
        if (next instanceof TrunklineException end) {
          throw end;
        }
        connection.hear();
        ChangeEvent event = Messages.MAPPER.treeToValue(Messages.read((DynamicMessage) next), ChangeEvent.class);
        // What has no kind says that the stream is there.
        if (event.kind() != null && !event.kind().isEmpty()) {
          give(event);
        } else if (!isOpen) {
          connected();
        }
        isOpen = true;
      }
    } finally {
      call.cancel("nobody reads it any more", null);
    }
  }

  @Override
  protected void stop() {
    transport.forget(this);
  }

  /** Takes messages, and at last the end, along to the thread that reads them. */
  private static final class Arrivals extends ClientCall.Listener<DynamicMessage> {
    private final BlockingQueue<Object> arrived;

    private Arrivals(BlockingQueue<Object> arrived) {
      this.arrived = arrived;
    }

    @Override
    public void onMessage(DynamicMessage message) {
      arrived.add(message);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      Status end = status.isOk() ? Status.UNAVAILABLE.withDescription("the server ended the stream") : status;
      arrived.add(GrpcErrors.of(CALL, end, trailers));
    }
  }
}
