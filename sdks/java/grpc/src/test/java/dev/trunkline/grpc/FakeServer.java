package dev.trunkline.grpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.DynamicMessage;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A server on whose streams a test speaks itself. */
final class FakeServer implements AutoCloseable {
  private static final String SERVICE = "trunkline.v1.WorkerService";
  private static final String JOBS = "trunkline.v1.JobService";
  private static final String EVENTS = "trunkline.v1.EventService";

  /** One stream of a worker, as the server sees it. */
  static final class Stream {
    private final ServerCall<DynamicMessage, DynamicMessage> call;
    private final BlockingQueue<JsonNode> sent = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> end = new LinkedBlockingQueue<>();

    private Stream(ServerCall<DynamicMessage, DynamicMessage> call) {
      this.call = call;
    }

    void say(String json) throws IOException {
      call.sendMessage(Messages.write(Contract.own("ToWorker"), Messages.MAPPER.readTree(json)));
    }

    void offer(String id) throws IOException {
      say("{\"offer\": {\"jobs\": [{\"id\": \"" + id + "\", \"jobType\": \"greet\", \"attempt\": 1, \"data\": 1, \"tenant\": \"default\","
          + " \"leaseToken\": \"t-" + id + "\", \"leaseExpiresAt\": \"" + Instant.now().plusSeconds(60) + "\"}]}}");
    }

    /** The next message that has this field; others are left out. */
    JsonNode next(String kind) throws InterruptedException {
      while (true) {
        JsonNode message = within(sent);
        if (message.has(kind)) {
          return message;
        }
      }
    }

    void awaitHalfClose() throws InterruptedException {
      within(end);
    }

    void answer(JsonNode report, String id) throws IOException {
      say("{\"outcome\": {\"number\": " + report.get("number") + ", \"results\": [{\"id\": \"" + id + "\", \"outcome\": \"ok\"}]}}");
    }
  }

  final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();
  final BlockingQueue<JsonNode> completions = new LinkedBlockingQueue<>();
  private final Server server;
  /** What a call to enqueue is answered with. */
  Consumer<ServerCall<DynamicMessage, DynamicMessage>> enqueue =
      call -> call.close(Status.UNIMPLEMENTED, new Metadata());

  /** What a stream of changes is answered with, by its number from 1. */
  BiConsumer<Integer, ServerCall<DynamicMessage, DynamicMessage>> watch =
      (number, call) -> call.close(Status.UNIMPLEMENTED, new Metadata());
  private final AtomicInteger watched = new AtomicInteger();

  FakeServer() throws IOException {
    var connect = GrpcTransport.method(SERVICE + "/Connect", MethodType.BIDI_STREAMING, Contract.own("FromWorker"), Contract.own("ToWorker"));
    var complete = GrpcTransport.method(SERVICE + "/Complete", MethodType.UNARY, Contract.own("CompleteJobsRequest"), Contract.own("Outcomes"));
    var make = GrpcTransport.method(JOBS + "/Enqueue", MethodType.UNARY, Contract.own("EnqueueJobRequest"), Contract.own("Enqueued"));
    ServerCallHandler<DynamicMessage, DynamicMessage> enqueues = (call, headers) -> {
      call.request(1);
      return new ServerCall.Listener<>() {
        @Override
        public void onHalfClose() {
          enqueue.accept(call);
        }
      };
    };
    var changes = GrpcTransport.method(EVENTS + "/Watch", MethodType.SERVER_STREAMING, Contract.own("WatchEventsRequest"),
        Contract.own("ChangeEvent"));
    ServerCallHandler<DynamicMessage, DynamicMessage> watches = (call, headers) -> {
      call.request(1);
      return new ServerCall.Listener<>() {
        @Override
        public void onHalfClose() {
          watch.accept(watched.incrementAndGet(), call);
        }
      };
    };
    server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
        .addService(ServerServiceDefinition.builder(SERVICE).addMethod(connect, this::connect).addMethod(complete, this::complete).build())
        .addService(ServerServiceDefinition.builder(JOBS).addMethod(make, enqueues).build())
        .addService(ServerServiceDefinition.builder(EVENTS).addMethod(changes, watches).build())
        .build().start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getPort();
  }

  /** The next stream that a worker opens, with its first message answered. */
  Stream stream() throws IOException, InterruptedException {
    Stream stream = within(streams);
    stream.next("hello");
    stream.say("{\"alive\": {\"streamId\": \"str_1\"}}");
    return stream;
  }

  static <T> T within(BlockingQueue<T> queue) throws InterruptedException {
    T found = queue.poll(20, TimeUnit.SECONDS);
    if (found == null) {
      throw new AssertionError("nothing came in time");
    }
    return found;
  }

  private ServerCall.Listener<DynamicMessage> connect(ServerCall<DynamicMessage, DynamicMessage> call, Metadata headers) {
    Stream stream = new Stream(call);
    call.sendHeaders(new Metadata());
    call.request(1);
    streams.add(stream);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(DynamicMessage message) {
        stream.sent.add(Messages.read(message));
        call.request(1);
      }

      @Override
      public void onHalfClose() {
        stream.end.add(true);
      }

      @Override
      public void onCancel() {
        stream.end.add(false);
      }
    };
  }

  private ServerCall.Listener<DynamicMessage> complete(ServerCall<DynamicMessage, DynamicMessage> call, Metadata headers) {
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(DynamicMessage message) {
        completions.add(Messages.read(message));
      }

      @Override
      public void onHalfClose() {
        var answer = Messages.MAPPER.createObjectNode();
        answer.putArray("results").addObject().put("id", "job_1").put("outcome", "ok");
        call.sendHeaders(new Metadata());
        call.sendMessage(Messages.write(Contract.own("Outcomes"), answer));
        call.close(Status.OK, new Metadata());
      }
    };
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
