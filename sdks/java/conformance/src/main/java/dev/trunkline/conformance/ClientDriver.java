package dev.trunkline.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trunkline.CallTimeout;
import dev.trunkline.ConnectionException;
import dev.trunkline.Durations;
import dev.trunkline.EnqueueOptions;
import dev.trunkline.JobFailed;
import dev.trunkline.JobHandle;
import dev.trunkline.Json;
import dev.trunkline.ProblemException;
import dev.trunkline.RunFailed;
import dev.trunkline.StartOptions;
import dev.trunkline.TrunklineClient;
import dev.trunkline.Webhooks;
import dev.trunkline.model.Backoff;
import dev.trunkline.model.ChangeEvent;
import dev.trunkline.model.Priority;
import dev.trunkline.model.ScheduleRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.StreamSupport;

final class ClientDriver {
  private final ObjectMapper mapper = Json.mapper();
  private TrunklineClient client;

  void run() throws IOException, InterruptedException {
    ExecutorService calls = Executors.newCachedThreadPool();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode asked = mapper.readTree(line);
      calls.execute(() -> answer(asked));
    }
    calls.shutdown();
    calls.awaitTermination(1, TimeUnit.MINUTES);
  }

  private void answer(JsonNode asked) {
    ObjectNode line = mapper.createObjectNode();
    line.set("id", asked.get("id"));
    try {
      line.set("value", mapper.valueToTree(call(asked)));
    } catch (Exception error) {
      line.set("error", described(error));
    }
    print(line);
  }

  private synchronized void print(ObjectNode line) {
    try {
      System.out.write((mapper.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
      System.out.flush();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private synchronized TrunklineClient client() {
    client = client == null ? Driver.client() : client;
    return client;
  }

  private Object call(JsonNode asked) throws Exception {
    JsonNode args = asked.path("args");
    String name = asked.path("call").asText();
    return switch (name) {
      case "hello" -> Map.of("language", "java", "lacks", List.of());
      case "enqueue" -> {
        JobHandle job = client().enqueue(text(args, "type"), args.get("data"), options(args.path("options")));
        yield Map.of("id", job.id(), "existing", job.isExisting());
      }
      case "batch" -> batch(args);
      case "wait" -> client().job(text(args, "job")).await(timeout(args));
      case "job" -> client().job(text(args, "job")).get();
      case "cancel" -> nothing(() -> client().job(text(args, "job")).cancel());
      case "deadLetters" -> client().deadLetters().list(Map.of("jobType", text(args, "jobType")));
      case "requeue" -> nothing(() -> requeue(args));
      case "schedule" -> client().schedules().create(ScheduleRequest.builder().name(text(args, "name"))
          .workflow(text(args, "workflow")).cron(text(args, "cron")).input(args.get("input")).build());
      case "schedules" -> client().schedules().list(Map.of());
      case "deleteSchedule" -> nothing(() -> client().schedules().delete(text(args, "schedule")));
      case "sign" -> Webhooks.sign(text(args, "secret"), text(args, "id"),
          Instant.ofEpochSecond(args.get("timestamp").asLong()), text(args, "body").getBytes(StandardCharsets.UTF_8));
      case "verify" -> verify(args);
      default -> runCall(name, args, asked.get("id"));
    };
  }

  private Object runCall(String name, JsonNode args, JsonNode id) throws Exception {
    return switch (name) {
      case "push" -> client().push(args.get("definition"));
      case "start" -> Map.of("id", client().start(text(args, "workflow"), args.get("input"), starts(args.path("options"))).id());
      case "startWait" -> client().start(text(args, "workflow"), args.get("input")).await(timeout(args));
      case "waitRun" -> client().run(text(args, "run")).await(timeout(args));
      case "run" -> client().run(text(args, "run")).get();
      case "nodes" -> client().run(text(args, "run")).nodes();
      case "signal" -> nothing(() -> client().run(text(args, "run")).signal(text(args, "name"), args.get("payload")));
      case "cancelRun" -> nothing(() -> client().run(text(args, "run")).cancel());
      case "event" -> event(args, id);
      default -> throw new IllegalArgumentException("no call is named " + name);
    };
  }

  private Object batch(JsonNode args) {
    var items = StreamSupport.stream(args.get("jobs").spliterator(), false)
        .map(job -> new TrunklineClient.BatchItem(text(job, "type"), job.get("data"), options(job.path("options")))).toList();
    return client().enqueueBatch(items, args.path("partial").asBoolean()).stream()
        .map(result -> result.job() != null ? Map.of("id", result.job().id()) : Map.of("error", result.problem())).toList();
  }

  private void requeue(JsonNode args) {
    if (args.has("data")) {
      client().deadLetters().requeue(text(args, "deadLetter"), args.get("data"));
    } else {
      client().deadLetters().requeue(text(args, "deadLetter"));
    }
  }

  private Object verify(JsonNode args) {
    Map<String, String> headers = mapper.convertValue(args.get("headers"), new com.fasterxml.jackson.core.type.TypeReference<>() {});
    Webhooks.verify(List.of(text(args, "secret")), headers, text(args, "body").getBytes(StandardCharsets.UTF_8),
        Instant.ofEpochSecond(args.get("now").asLong()));
    return true;
  }

  private Object event(JsonNode args, JsonNode id) throws Exception {
    CompletableFuture<ChangeEvent> found = new CompletableFuture<>();
    Consumer<ChangeEvent> look = event -> {
      if (text(args, "run").equals(event.executionId()) && Boolean.TRUE.equals(event.ended())) {
        found.complete(event);
      }
    };
    Runnable opened = () -> print(mapper.createObjectNode().put("opened", true).set("id", id));
    try (var stream = client().events(opened, look, found::completeExceptionally)) {
      return found.get(timeout(args).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException error) {
      throw new CallTimeout("no event came", error);
    }
  }

  private EnqueueOptions options(JsonNode given) {
    EnqueueOptions options = EnqueueOptions.none();
    set(given, "priority", value -> options.priority(Priority.valueOf(value.asText().toUpperCase(java.util.Locale.ROOT))));
    set(given, "delay", value -> options.delay(Durations.parse(value.asText())));
    set(given, "runAt", value -> options.runAt(Instant.parse(value.asText())));
    set(given, "uniqueKey", value -> options.uniqueKey(value.asText()));
    set(given, "concurrencyKey", value -> options.concurrencyKey(value.asText()));
    set(given, "maxRetries", value -> options.maxRetries(value.asInt()));
    set(given, "backoff", value -> options.backoff(mapper.convertValue(value, Backoff.class)));
    set(given, "timeout", value -> options.timeout(Durations.parse(value.asText())));
    set(given, "tags", value -> options.tags(List.of(mapper.convertValue(value, String[].class))));
    set(given, "tenant", value -> options.tenant(value.asText()));
    set(given, "traceparent", value -> options.traceparent(value.asText()));
    set(given, "idempotencyKey", value -> options.idempotencyKey(value.asText()));
    return options;
  }

  private StartOptions starts(JsonNode given) {
    StartOptions options = StartOptions.none();
    set(given, "version", value -> options.version(value.asInt()));
    set(given, "tenant", value -> options.tenant(value.asText()));
    set(given, "tags", value -> options.tags(List.of(mapper.convertValue(value, String[].class))));
    set(given, "correlationId", value -> options.correlationId(value.asText()));
    set(given, "idempotencyKey", value -> options.idempotencyKey(value.asText()));
    return options;
  }

  private static void set(JsonNode given, String name, Function<JsonNode, Object> set) {
    if (given.hasNonNull(name)) {
      set.apply(given.get(name));
    }
  }

  private static Object nothing(Runnable call) {
    call.run();
    return null;
  }

  private static String text(JsonNode args, String name) {
    return args.path(name).asText();
  }

  private static Duration timeout(JsonNode args) {
    return Durations.parse(text(args, "timeout"));
  }

  private ObjectNode described(Exception error) {
    ObjectNode out = mapper.createObjectNode().put("kind", "Other").put("message", String.valueOf(error.getMessage()));
    if (error instanceof JobFailed failed) {
      return out.put("kind", "JobFailed").put("code", failed.code());
    } else if (error instanceof RunFailed failed) {
      return out.put("kind", "RunFailed").put("code", failed.code());
    } else if (error instanceof ProblemException problem) {
      return out.put("kind", "Problem").put("code", problem.code()).put("status", problem.status());
    } else if (error instanceof Webhooks.InvalidSignature) {
      return out.put("kind", "InvalidSignature");
    } else if (error instanceof CallTimeout) {
      return out.put("kind", "Timeout");
    } else if (error instanceof ConnectionException) {
      return out.put("kind", "Connection");
    }
    return out;
  }
}
