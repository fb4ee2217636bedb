package dev.trunkline.grpc;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.trunkline.Cancelled;
import dev.trunkline.CallTimeout;
import dev.trunkline.Repeats;
import dev.trunkline.TrunklineException;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.model.ChangeEvent;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * gRPC as a transport: the calls of REST by the methods that mirror them, and the jobs of a worker over a stream. Nothing goes over
 * REST.
 */
public final class GrpcTransport implements Transport {
  private static final Map<String, String> REPORTS = Map.of(
      "completeJobs", "complete", "failJobs", "fail", "heartbeatJobs", "heartbeat", "releaseJobs", "release");
  private static final Metadata.Key<String> AUTHORIZATION = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> IDEMPOTENCY_KEY = Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER);

  private final Link link;
  private final String authorization;
  private final Duration timeout;
  private final long silenceNanos;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
    Thread thread = new Thread(work, "trunkline-grpc-timer");
    thread.setDaemon(true);
    return thread;
  });
  /** By the names of workers. */
  private final Map<String, Delivery> deliveries = new ConcurrentHashMap<>();
  private final Set<GrpcEventStream> followers = ConcurrentHashMap.newKeySet();

  private GrpcTransport(Builder builder) {
    link = new Link(builder.address, builder.credentials);
    authorization = builder.apiKey == null ? null : "Bearer " + builder.apiKey;
    timeout = builder.timeout;
    silenceNanos = builder.silence.toNanos();
  }

  /**
   * Begins a transport: at <code>TRUNKLINE_GRPC_URL</code>, else at port 9090 of the host of the server.
   *
   * @param url the server, such as <code>TRUNKLINE_URL</code> says
   * @return a builder
   */
  public static Builder builder(String url) {
    return new Builder(url);
  }

  @Override
  public String name() {
    return "grpc";
  }

  @Override
  public <T> T call(Request request, TypeReference<T> type, CallOptions options) {
    JsonNode body = request.body() == null ? null : Messages.MAPPER.valueToTree(request.body());
    try {
      Duration limit = options.timeout() == null ? timeout : options.timeout();
      if (request.name().equals("pollJobs")) {
        return answer(request, type, delivery(body.path("workerId").asText()).poll(body, limit));
      }
      Optional<JsonNode> reported = report(request, body, limit);
      if (reported.isPresent()) {
        return answer(request, type, reported.get());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new Cancelled();
    }
    Map<String, String> query = new HashMap<>();
    request.query().forEach((name, value) -> {
      if (value != null) {
        query.put(name, value.toString());
      }
    });
    Contract.Method method = Contract.find(request, query).orElseThrow(() -> GrpcErrors.onlyRest(request.name()));
    DynamicMessage input = input(method, request, query, body);
    return Repeats.call(request, options, timeout, (key, nanos) -> {
      DynamicMessage output = once(request.name(), method, input, key, nanos);
      FieldDescriptor whole = Messages.field(method.output(), method.answer());
      return answer(request, type, whole == null ? Messages.read(output) : Messages.read(output, whole));
    });
  }

  private static <T> T answer(Request request, TypeReference<T> type, JsonNode answer) {
    if (type.getType() == Void.class) {
      return null;
    }
    try {
      return Messages.MAPPER.readerFor(type).readValue(answer);
    } catch (IOException error) {
      throw new TrunklineException(request.name() + ": the answer is not what this version knows", error);
    }
  }

  /** Reports over the stream that brought the jobs; nothing where none did. */
  private Optional<JsonNode> report(Request request, JsonNode body, Duration limit) throws InterruptedException {
    String kind = REPORTS.get(request.name());
    if (kind == null) {
      return Optional.empty();
    }
    for (Delivery delivery : deliveries.values()) {
      if (delivery.hasAny(body.path("jobs"))) {
        return delivery.report(kind, body, limit);
      }
    }
    return Optional.empty();
  }

  private static DynamicMessage input(Contract.Method method, Request request, Map<String, String> query, JsonNode body) {
    DynamicMessage.Builder input = DynamicMessage.newBuilder(method.input());
    Map<String, String> parameters = method.parameters(request.path());
    query.forEach((name, value) -> {
      if (!method.fixedQuery().containsKey(name)) {
        parameters.put(name, value);
      }
    });
    parameters.forEach((name, value) -> {
      FieldDescriptor field = Messages.field(method.input(), name);
      if (field == null) {
        throw GrpcErrors.onlyRest(request.name() + " with " + name);
      }
      Messages.set(input, field, Messages.MAPPER.getNodeFactory().textNode(value), "/" + name);
    });
    if (body != null && !method.body().isEmpty()) {
      Messages.set(input, Messages.field(method.input(), method.body()), body, "");
    } else if (body instanceof ObjectNode) {
      Messages.writeFields(input, body, "");
    }
    return input.build();
  }

  private DynamicMessage once(String name, Contract.Method method, DynamicMessage input, String key, long nanos) {
    Link.Connection connection = link.connection();
    long begun = System.nanoTime();
    CompletableFuture<DynamicMessage> answer = new CompletableFuture<>();
    ClientCall<DynamicMessage, DynamicMessage> call = connection.channel()
        .newCall(method(method.path(), MethodType.UNARY, method.input(), method.output()), io.grpc.CallOptions.DEFAULT);
    call.start(new Unary(name, answer, connection), metadata(key));
    call.request(2);
    call.sendMessage(input);
    call.halfClose();
    try {
      return answer.get(Math.max(nanos, 1), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      call.cancel("no answer in time", null);
      // Perhaps nobody is there any more.
      link.replace(connection, begun);
      throw new CallTimeout(name + ": no answer in time", late);
    } catch (InterruptedException interrupted) {
      call.cancel("interrupted", interrupted);
      Thread.currentThread().interrupt();
      throw new Cancelled();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof TrunklineException known) {
        throw known;
      }
      throw new TrunklineException(name + " failed", failed.getCause());
    }
  }

  /** Takes the one answer of a call. */
  private static final class Unary extends ClientCall.Listener<DynamicMessage> {
    private final String name;
    private final CompletableFuture<DynamicMessage> answer;
    private final Link.Connection connection;
    private DynamicMessage message;

    private Unary(String name, CompletableFuture<DynamicMessage> answer, Link.Connection connection) {
      this.name = name;
      this.answer = answer;
      this.connection = connection;
    }

    @Override
    public void onHeaders(Metadata headers) {
      connection.hear();
    }

    @Override
    public void onMessage(DynamicMessage one) {
      message = one;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.isOk() && message != null) {
        answer.complete(message);
      } else {
        answer.completeExceptionally(GrpcErrors.of(name, status.isOk() ? Status.UNAVAILABLE : status, trailers));
      }
    }
  }

  /** What each call brings along. */
  Metadata metadata(String key) {
    Metadata metadata = new Metadata();
    if (authorization != null) {
      metadata.put(AUTHORIZATION, authorization);
    }
    if (key != null) {
      metadata.put(IDEMPOTENCY_KEY, key);
    }
    return metadata;
  }

  static MethodDescriptor<DynamicMessage, DynamicMessage> method(String path, MethodType kind, Descriptor input, Descriptor output) {
    return MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder().setType(kind).setFullMethodName(path)
        .setRequestMarshaller(new Bytes(input)).setResponseMarshaller(new Bytes(output)).build();
  }

  /** Messages as bytes. */
  record Bytes(Descriptor type) implements MethodDescriptor.Marshaller<DynamicMessage> {
    @Override
    public InputStream stream(DynamicMessage message) {
      return message.toByteString().newInput();
    }

    @Override
    public DynamicMessage parse(InputStream bytes) {
      try {
        return DynamicMessage.parseFrom(type, bytes);
      } catch (IOException fault) {
        throw Status.INTERNAL.withDescription("a message cannot be read").withCause(fault).asRuntimeException();
      }
    }
  }

  Link link() {
    return link;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  long silenceNanos() {
    return silenceNanos;
  }

  private Delivery delivery(String workerId) {
    return deliveries.computeIfAbsent(workerId, key -> new Delivery(this));
  }

  @Override
  public void onCancel(String workerId, BiConsumer<String, String> lost) {
    delivery(workerId).begin(lost);
  }

  @Override
  public void endDelivery(String workerId) {
    delivery(workerId).end();
  }

  @Override
  public Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    GrpcEventStream stream = new GrpcEventStream(this, opened, each, failed);
    followers.add(stream);
    stream.start();
    return stream;
  }

  void forget(GrpcEventStream stream) {
    followers.remove(stream);
  }

  @Override
  public void close() {
    deliveries.values().forEach(Delivery::end);
    followers.forEach(GrpcEventStream::close);
    timer.shutdownNow();
    link.close();
  }

  /** Builds a transport. */
  public static final class Builder {
    private URI address;
    private String apiKey;
    private Duration timeout = Duration.ofSeconds(30);
    private Duration silence = Duration.ofMinutes(1);
    private ChannelCredentials credentials;

    private Builder(String server) {
      String own = System.getenv("TRUNKLINE_GRPC_URL");
      if (own != null && !own.isEmpty()) {
        address = address("TRUNKLINE_GRPC_URL", own);
        return;
      }
      URI url = address("TRUNKLINE_URL", server);
      address = URI.create(url.getScheme() + "://" + url.getHost() + ":9090");
    }

    private static URI address(String name, String text) {
      try {
        URI address = URI.create(text);
        if (address.getHost() != null && ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))) {
          return address;
        }
      } catch (IllegalArgumentException none) {
        // It is said below.
      }
      throw new TrunklineException(name + "=" + text + " is no address; write it as http://127.0.0.1:9090", null);
    }

    /**
     * Where gRPC is, instead of what the environment says.
     *
     * @param url such as <code>http://127.0.0.1:9090</code> or <code>https://…</code>
     * @return this builder
     */
    public Builder grpcUrl(String url) {
      address = address("the address of gRPC", url);
      return this;
    }

    /**
     * The key.
     *
     * @param key may be null
     * @return this builder
     */
    public Builder apiKey(String key) {
      apiKey = key;
      return this;
    }

    /**
     * How long a call may take, its repetitions included; 30 s where nothing is said.
     *
     * @param limit the bound
     * @return this builder
     */
    public Builder timeout(Duration limit) {
      timeout = limit;
      return this;
    }

    /**
     * After how long without a message a worker's stream counts as dead; a minute where nothing is said.
     *
     * @param limit the silence
     * @return this builder
     */
    public Builder silence(Duration limit) {
      silence = limit;
      return this;
    }

    /**
     * Certificates of the program's own, such as for mutual TLS; by the address where nothing is said.
     *
     * @param own those of grpc-java
     * @return this builder
     */
    public Builder credentials(ChannelCredentials own) {
      credentials = own;
      return this;
    }

    /**
     * The transport. Nothing is connected yet.
     *
     * @return a new one
     */
    public GrpcTransport build() {
      return new GrpcTransport(this);
    }
  }
}
