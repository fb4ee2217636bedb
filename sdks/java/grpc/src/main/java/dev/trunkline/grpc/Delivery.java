package dev.trunkline.grpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.trunkline.ConnectionException;
import dev.trunkline.Durations;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * The jobs of one worker, over one stream after another. It is opened by polls; a stream that breaks leaves what the worker has to it,
 * whose reports go over the next stream or in calls of their own.
 */
final class Delivery {
  /** How long a new stream may take to say that it is there. */
  private static final long OPEN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final GrpcTransport transport;
  /** Held while a stream is opened. */
  private final ReentrantLock opening = new ReentrantLock();
  /** Tokens of the leases that the worker has, by job. */
  private final Map<String, String> tokens = new HashMap<>();
  private JobStream current;
  private BiConsumer<String, String> onCancel = (token, reason) -> { };
  private boolean hasEnded;
  /** An operator drains the worker: no other stream is opened. */
  private boolean isDrained;

  Delivery(GrpcTransport transport) {
    this.transport = transport;
  }

  synchronized void begin(BiConsumer<String, String> lost) {
    onCancel = lost;
    hasEnded = false;
    isDrained = false;
  }

  /** Takes no more jobs: what was offered and not taken goes back. */
  void end() {
    JobStream last;
    synchronized (this) {
      hasEnded = true;
      last = current;
      current = null;
    }
    if (last != null) {
      last.halfClose();
    }
  }

  synchronized void drain() {
    isDrained = true;
  }

  /** Keeps the tokens of jobs that the worker is about to take. */
  synchronized void keep(List<Message> jobs) {
    jobs.forEach(job -> tokens.put(JobStream.text(job, "id"), JobStream.text(job, "lease_token")));
  }

  /** Whether one of these leases is the worker's. */
  synchronized boolean hasAny(JsonNode leases) {
    for (JsonNode lease : leases) {
      if (lease.path("leaseToken").asText().equals(tokens.get(lease.path("id").asText()))) {
        return true;
      }
    }
    return false;
  }

  /** Drops jobs whose end is reported beside the stream. */
  private synchronized void leave(JsonNode leases) {
    leases.forEach(lease -> tokens.remove(lease.path("id").asText(), lease.path("leaseToken").asText()));
  }

  /** A job is not the worker's any more. */
  void cancelled(String jobId, String reason) {
    String token;
    BiConsumer<String, String> lost;
    synchronized (this) {
      token = tokens.remove(jobId);
      lost = onCancel;
    }
    if (token != null) {
      lost.accept(token, reason);
    }
  }

  /** Gives what has come, else what comes within the wait. */
  ObjectNode poll(JsonNode asked, Duration limit) throws InterruptedException {
    Duration wait = asked.hasNonNull("wait") ? Durations.parse(asked.get("wait").asText()) : Duration.ZERO;
    long until = System.nanoTime() + wait.toNanos();
    int room = Math.max(1, asked.path("maxJobs").asInt(1));
    while (true) {
      Optional<JobStream> stream = open(asked, limit);
      if (stream.isEmpty()) {
        return answer(List.of()).put("drain", true);
      }
      Optional<List<Message>> jobs = stream.get().take(room, until);
      if (jobs.isPresent()) {
        return answer(jobs.get());
      }
    }
  }

  private static ObjectNode answer(List<Message> jobs) {
    ObjectNode answer = Messages.MAPPER.createObjectNode();
    ArrayNode list = answer.putArray("jobs");
    jobs.forEach(job -> list.add(Messages.read(job)));
    return answer;
  }

  /** The stream from which jobs come, a new one where there is none; nothing where an operator drains the worker. */
  private Optional<JobStream> open(JsonNode asked, Duration limit) throws InterruptedException {
    opening.lockInterruptibly();
    try {
      JobStream open;
      boolean isOver;
      synchronized (this) {
        open = current;
        isOver = isDrained;
        throwIfEnded();
      }
      if (open != null && open.delivers()) {
        return Optional.of(open);
      }
      if (isOver) {
        return Optional.empty();
      }
      JobStream fresh = new JobStream(transport, this);
      fresh.open(hello(asked), Math.min(OPEN_NANOS, limit.toNanos()));
      boolean isLate;
      synchronized (this) {
        current = fresh;
        isLate = hasEnded;
      }
      if (isLate) {
        end();
      }
      return Optional.of(fresh);
    } finally {
      opening.unlock();
    }
  }

  private void throwIfEnded() {
    if (hasEnded) {
      throw new ConnectionException("pollJobs: the worker takes no more jobs", null);
    }
  }

  private static DynamicMessage hello(JsonNode asked) {
    // Of a poll those fields are its own that a hello does not know.
    return Messages.write(Contract.own("Hello"), asked);
  }

  /** Reports over the stream; nothing where none is open, and the call is made by itself. */
  Optional<JsonNode> report(String kind, JsonNode body, Duration limit) throws InterruptedException {
    DynamicMessage report = Messages.write(Messages.field(Contract.own("FromWorker"), kind).getMessageType(), body);
    JobStream stream;
    synchronized (this) {
      stream = current;
    }
    // Without an answer it is not known whether the server took it: reports carry their lease, so that they may come twice.
    Optional<Message> said = stream == null ? Optional.empty() : stream.report(kind, report, limit.toNanos());
    if (said.isEmpty()) {
      if (!kind.equals("heartbeat")) {
        leave(body.path("jobs"));
      }
      return Optional.empty();
    }
    var error = said.get().getDescriptorForType().findFieldByName("error");
    if (said.get().hasField(error)) {
      throw GrpcErrors.ofProblem((Message) said.get().getField(error));
    }
    ObjectNode outcome = Messages.read(said.get());
    if (!kind.equals("heartbeat")) {
      forget(outcome.path("results"));
    }
    return Optional.of(outcome);
  }

  /** Drops jobs that the worker is done with. */
  private synchronized void forget(JsonNode results) {
    for (JsonNode result : results) {
      if (!result.path("outcome").asText().equals("rejected")) {
        tokens.remove(result.path("id").asText());
      }
    }
  }
}
