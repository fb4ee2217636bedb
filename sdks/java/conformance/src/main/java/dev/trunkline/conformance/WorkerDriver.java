package dev.trunkline.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.Cancelled;
import dev.trunkline.Durations;
import dev.trunkline.JobContext;
import dev.trunkline.NonRetryable;
import dev.trunkline.RetryAfter;
import dev.trunkline.Snooze;
import dev.trunkline.TrunklineClient;
import dev.trunkline.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

final class WorkerDriver {
  record Times(int times, String message, String delay) {}

  record Typed(String name, int count) {}

  record Soak(int n, int fail, String dir) {}

  record Gate(String dir, JsonNode progress, String log) {}

  private static final Map<String, Integer> SNOOZED = new ConcurrentHashMap<>();
  private static final Map<String, String> SEEN = new ConcurrentHashMap<>();

  private WorkerDriver() {}

  static void run(TrunklineClient client) {
    Map<String, String> env = System.getenv();
    String prefix = env.getOrDefault("CONFORMANCE_PREFIX", "");
    Worker.Builder worker = Worker.builder(client)
        .buildId(env.get("CONFORMANCE_BUILD"))
        .concurrency(Integer.parseInt(env.getOrDefault("CONFORMANCE_CONCURRENCY", "8")))
        .builds(env.getOrDefault("CONFORMANCE_BUILDS", "").isEmpty() ? new String[0] : env.get("CONFORMANCE_BUILDS").split(","))
        .middleware((data, context, next) -> {
          SEEN.put(context.jobId(), context.jobType());
          try {
            return next.run();
          } finally {
            SEEN.remove(context.jobId());
          }
        });
    if (env.containsKey("CONFORMANCE_POLL_WAIT")) {
      worker.pollWait(Durations.parse(env.get("CONFORMANCE_POLL_WAIT")));
    }
    failures(worker, prefix);
    worker.handle(prefix + "echo", JsonNode.class, (data, context) -> data)
        .handle(prefix + "context", JsonNode.class, (data, context) -> describe(context))
        .handle(prefix + "soak", Soak.class, WorkerDriver::soak)
        .handle(prefix + "gate", Gate.class, (data, context) -> gate(data, context, false))
        .handle(prefix + "stubborn", Gate.class, (data, context) -> gate(data, context, true))
        .handle(prefix + "progress", JsonNode.class, (data, context) -> {
          if (context.attempt() > 1) {
            return previous(context);
          }
          context.progress(data.get("value"));
          throw new IOException("once more");
        })
        .handle(prefix + "big", JsonNode.class, (data, context) -> Map.of("text", "x".repeat(data.get("bytes").asInt())))
        .handle(prefix + "typed", Typed.class, (data, context) -> Map.of("greeting", data.name() + " x " + data.count()))
        .handle(prefix + "middleware", JsonNode.class, (data, context) -> Map.of("seen", SEEN.get(context.jobId())))
        .handle(prefix + "log", JsonNode.class, (data, context) -> {
          for (int number = 1; number <= data.path("lines").asInt(1); number++) {
            context.log().info("line {}", number);
          }
          if (data.has("text")) {
            context.log().error(data.get("text").asText());
          }
          if (data.has("fail") && context.attempt() == 1) {
            throw new IOException(data.get("fail").asText());
          }
          return null;
        });
    try (Worker built = worker.build()) {
      built.run();
    }
  }

  private static void failures(Worker.Builder worker, String prefix) {
    worker.handle(prefix + "fail-times", Times.class, (data, context) -> {
      if (context.attempt() <= data.times()) {
        throw new IOException(data.message());
      }
      return Map.of("attempt", context.attempt());
    });
    worker.handle(prefix + "non-retryable", Times.class, (data, context) -> {
      throw new NonRetryable(data.message());
    });
    worker.handle(prefix + "retry-after", Times.class, (data, context) -> {
      if (context.attempt() == 1) {
        throw new RetryAfter(Durations.parse(data.delay()));
      }
      return Map.of("attempt", context.attempt());
    });
    worker.handle(prefix + "snooze", Times.class, (data, context) -> {
      if (SNOOZED.merge(context.jobId(), 1, Integer::sum) <= data.times()) {
        throw new Snooze(Durations.parse(data.delay()));
      }
      return Map.of("attempt", context.attempt(), "snoozed", data.times());
    });
    worker.handle(prefix + "cancelled", JsonNode.class, (data, context) -> {
      throw new Cancelled();
    });
  }

  private static Map<String, Object> describe(JobContext context) {
    Map<String, Object> out = previous(context);
    out.put("jobId", context.jobId());
    out.put("idempotencyKey", context.idempotencyKey());
    out.put("traceparent", context.traceparent().orElse(null));
    out.put("cancelled", context.isCancelled());
    out.put("hasDeadline", context.deadline().isPresent());
    return out;
  }

  private static Map<String, Object> previous(JobContext context) {
    Map<String, Object> out = new HashMap<>();
    out.put("attempt", context.attempt());
    out.put("previousProgress", context.previousProgress().orElse(null));
    return out;
  }

  private static Object gate(Gate data, JobContext context, boolean isStubborn) throws IOException {
    mark(data.dir(), "started-" + context.attempt());
    if (data.progress() != null) {
      context.progress(data.progress());
    }
    if (data.log() != null) {
      context.log().atInfo().addKeyValue("of", "the gate").log(data.log());
    }
    while (!Files.exists(Path.of(data.dir(), "go"))) {
      if (!isStubborn && context.isCancelled()) {
        mark(data.dir(), "cancelled-" + context.attempt());
        throw new Cancelled();
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException cancelled) {
        // The next round sees it.
      }
    }
    mark(data.dir(), "done-" + context.attempt());
    return previous(context);
  }

  /** Records outside of the store what it does: see sdks/conformance/soak.py. */
  private static Object soak(Soak data, JobContext context) throws IOException, InterruptedException {
    String nonce = String.format("%016x", ThreadLocalRandom.current().nextLong());
    record(data, context, "start", nonce);
    if (context.attempt() <= data.fail()) {
      throw new IOException("planned");
    }
    Thread.sleep(data.n() % 20);
    record(data, context, "end", nonce);
    return Map.of("n", data.n(), "nonce", nonce);
  }

  private static void record(Soak data, JobContext context, String what, String nonce) throws IOException {
    Path history = Path.of(data.dir(), "java-" + ProcessHandle.current().pid());
    String line = what + " " + context.jobId() + " " + context.attempt() + " " + nonce + "\n";
    Files.writeString(history, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static void mark(String dir, String name) throws IOException {
    Files.createDirectories(Path.of(dir));
    Files.writeString(Path.of(dir, name), "");
  }
}
