package dev.trunkline.testing;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trunkline.Cancelled;
import dev.trunkline.Json;
import dev.trunkline.ProblemException;
import dev.trunkline.TrunklineClient;
import dev.trunkline.TrunklineException;
import dev.trunkline.Worker;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.model.ChangeEvent;
import dev.trunkline.model.JobStatus;
import dev.trunkline.model.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A server in memory for workers and clients of a test: a transport that knows enqueue, poll, the reports and reading a job.
 * Retries and snoozes come at once.
 */
public final class MemoryServer implements Transport {
  private static final class Job {
    private String id;
    private String jobType;
    private JsonNode data;
    private int maxRetries = 3;
    private JobStatus status = JobStatus.QUEUED;
    private int attempt;
    private int snoozes;
    private String token;
    private JsonNode result;
    private JsonNode error;
    private JsonNode progress;
    private final List<String> waits = new ArrayList<>();
  }

  /**
   * A job as it is now.
   *
   * @param status how it is
   * @param attempts how many it took
   * @param snoozes how often it was given back without an attempt
   * @param waits those that retries and snoozes asked for; nothing waits for them
   * @param result once it is completed
   * @param error the last one; may be null
   */
  public record TestJob(JobStatus status, int attempts, int snoozes, List<String> waits, JsonNode result, JsonNode error) {}

  private final ObjectMapper mapper = Json.mapper();
  private final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Deque<Job> queue = new ArrayDeque<>();

  /** An empty one. */
  public MemoryServer() {}

  /**
   * A client of it.
   *
   * @return the client
   */
  public TrunklineClient client() {
    return TrunklineClient.builder().transport(this).build();
  }

  /**
   * Runs a worker until nothing is queued or running.
   *
   * @param worker which was not started
   * @param timeout how long that may take
   */
  public void drain(Worker worker, Duration timeout) {
    worker.start();
    try {
      awaitIdle(timeout);
    } finally {
      worker.stop();
    }
  }

  /**
   * A job as it is now.
   *
   * @param id its id
   * @return the job
   */
  public synchronized TestJob job(String id) {
    Job job = find(id);
    return new TestJob(job.status, job.attempt, job.snoozes, List.copyOf(job.waits), job.result, job.error);
  }

  private synchronized void awaitIdle(Duration timeout) {
    long ends = System.nanoTime() + timeout.toNanos();
    while (jobs.values().stream().anyMatch(job -> job.status == JobStatus.QUEUED || job.status == JobStatus.PROCESSING)) {
      if (!waitUntil(ends)) {
        throw new TrunklineException("jobs are not done within " + timeout, null);
      }
    }
  }

  /** Waits for a change; false once the time is up. */
  private boolean waitUntil(long ends) {
    long left = (ends - System.nanoTime()) / 1_000_000;
    if (left <= 0) {
      return false;
    }
    try {
      wait(left);
      return true;
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new Cancelled();
    }
  }

  private Job find(String id) {
    Job job = jobs.get(id);
    if (job == null) {
      throw new ProblemException(new Problem("not_found", "no such job", null, null, null, null, null, 404, "", "", null), 404, null);
    }
    return job;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public <T> T call(Request request, TypeReference<T> type, CallOptions options) {
    JsonNode body = mapper.valueToTree(request.body());
    JsonNode answer = switch (request.name()) {
      case "enqueueJob" -> enqueue(body);
      case "pollJobs" -> poll(body);
      case "completeJobs", "failJobs", "releaseJobs", "heartbeatJobs" -> report(request.name(), body);
      case "getJob" -> read(request.path().substring("/v1/jobs/".length()), options);
      default -> throw new TrunklineException(request.name() + ": the server in memory does not know this call", null);
    };
    return mapper.convertValue(answer, type);
  }

  private synchronized JsonNode enqueue(JsonNode body) {
    Job job = new Job();
    job.id = String.format("job_%032x", jobs.size() + 1);
    job.jobType = body.path("jobType").asText();
    job.data = body.get("data");
    job.maxRetries = body.path("maxRetries").asInt(job.maxRetries);
    jobs.put(job.id, job);
    queue.add(job);
    notifyAll();
    return mapper.createObjectNode().put("id", job.id).put("position", jobs.size()).put("status", "QUEUED");
  }

  private synchronized JsonNode poll(JsonNode body) {
    long ends = System.nanoTime() + (body.path("wait").asText().equals("0ms") ? 0 : Duration.ofSeconds(20).toNanos());
    List<String> types = mapper.convertValue(body.get("jobTypes"), new TypeReference<List<String>>() {});
    ArrayNode taken = mapper.createArrayNode();
    do {
      for (Iterator<Job> waiting = queue.iterator(); waiting.hasNext() && taken.size() < body.path("maxJobs").asInt(); ) {
        Job job = waiting.next();
        if (types.contains(job.jobType)) {
          waiting.remove();
          taken.add(lease(job));
        }
      }
    } while (taken.isEmpty() && waitUntil(ends));
    return mapper.createObjectNode().set("jobs", taken);
  }

  private JsonNode lease(Job job) {
    job.status = JobStatus.PROCESSING;
    job.attempt++;
    job.token = job.id + "-" + job.attempt + "-" + job.snoozes;
    ObjectNode leased = mapper.createObjectNode().put("id", job.id).put("jobType", job.jobType).put("attempt", job.attempt)
        .put("tenant", "default").put("leaseToken", job.token).put("idempotencyKey", job.id)
        .put("leaseExpiresAt", Instant.now().plusSeconds(60).toString());
    leased.set("data", job.data);
    leased.set("progress", job.progress);
    return leased;
  }

  private synchronized JsonNode report(String name, JsonNode body) {
    ArrayNode results = mapper.createArrayNode();
    for (JsonNode report : body.get("jobs")) {
      Job job = find(report.path("id").asText());
      boolean isHeld = job.status == JobStatus.PROCESSING && report.path("leaseToken").asText().equals(job.token);
      if (isHeld) {
        apply(name, job, report);
      }
      results.addObject().put("id", job.id).put("outcome", isHeld ? "ok" : "lease_lost");
    }
    notifyAll();
    return mapper.createObjectNode().set("results", results);
  }

  private void apply(String name, Job job, JsonNode report) {
    switch (name) {
      case "heartbeatJobs" -> job.progress = report.has("progress") ? report.get("progress") : job.progress;
      case "completeJobs" -> {
        job.status = JobStatus.COMPLETED;
        job.result = report.get("result");
      }
      case "releaseJobs" -> {
        job.attempt--;
        job.snoozes++;
        again(job, report.path("delay").asText(null));
      }
      default -> {
        job.error = report.get("error");
        if (!report.path("retryable").asBoolean(true) || job.attempt > job.maxRetries) {
          job.status = JobStatus.DEAD_LETTER;
        } else {
          again(job, report.path("retryAfter").asText(null));
        }
      }
    }
  }

  private void again(Job job, String wait) {
    if (wait != null) {
      job.waits.add(wait);
    }
    job.status = JobStatus.QUEUED;
    queue.add(job);
  }

  /** Holds the answer until the job ends or the time of the call is up. */
  private synchronized JsonNode read(String id, CallOptions options) {
    long ends = System.nanoTime() + (options.timeout() == null ? Duration.ZERO : options.timeout()).toNanos();
    Job job = find(id);
    while ((job.status == JobStatus.QUEUED || job.status == JobStatus.PROCESSING) && waitUntil(ends)) {
      job = find(id);
    }
    ObjectNode shown = mapper.createObjectNode().put("id", id).put("jobType", job.jobType).put("status", job.status.name());
    shown.set("result", job.result);
    shown.set("error", job.error);
    return shown;
  }

  @Override
  public Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    throw new TrunklineException("the server in memory has no events", null);
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
