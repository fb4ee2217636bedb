package dev.trunkline.kafka;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trunkline.Cancelled;
import dev.trunkline.ConnectionException;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.kafka.Reader.Offer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** The jobs of one worker: offers are accepted when slots are free, and their messages are over with their jobs. */
final class Delivery {
  private static final int ACCEPT_MAX = 500;
  private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  // After so long without a word of a job, its message is over: its lease ended by itself.
  private static final long UNHEARD_MAX_NANOS = Duration.ofHours(1).toNanos();

  /** A job that the worker has: its message and those that came again, and when it was last heard of. */
  private record Held(List<Offer> offers, long heardAt) {}

  private final Transport rest;
  private final String workerId;
  private final List<Reader> readers = new ArrayList<>();
  private final Map<String, Held> held = new HashMap<>();
  /** Tokens of jobs that ended since offers were last accepted. */
  private final Set<String> over = new HashSet<>();
  private final ExecutorService acceptances = Executors.newSingleThreadExecutor(work -> {
    Thread thread = new Thread(work, "trunkline-kafka-accept");
    thread.setDaemon(true);
    return thread;
  });
  private boolean hasEnded;

  Delivery(Transport rest, String workerId) {
    this.rest = rest;
    this.workerId = workerId;
  }

  synchronized void add(Reader reader) {
    readers.add(reader);
    reader.start();
  }

  /** Jobs that this worker has the leases of, within the wait. */
  List<ObjectNode> poll(int jobsMax, Duration wait) {
    long ends = System.nanoTime() + wait.toNanos();
    while (true) {
      if (Thread.currentThread().isInterrupted()) {
        throw new Cancelled();
      }
      List<Offer> offers = nextOffers(Math.max(1, Math.min(jobsMax, ACCEPT_MAX)), ends);
      List<ObjectNode> jobs = offers.isEmpty() ? List.of() : accept(offers);
      if (offers.isEmpty() || !jobs.isEmpty()) {
        return jobs;
      }
    }
  }

  /** What the server said of jobs: those that are not this worker's any more are over. */
  synchronized void reported(JsonNode sent, JsonNode results, boolean renews) {
    for (int place = 0; place < Math.min(sent.size(), results.size()); place++) {
      String token = sent.get(place).path("leaseToken").asText();
      String outcome = results.get(place).path("outcome").asText();
      Held job = held.get(token);
      if (job == null || outcome.equals("rejected")) {
        continue;
      }
      if (renews && outcome.equals("ok")) {
        held.put(token, new Held(job.offers(), System.nanoTime()));
      } else {
        end(token);
      }
    }
  }

  /** Takes no more jobs. Messages of jobs that still run are not committed: whoever reads them next is answered "taken". */
  void close() {
    List<Reader> all;
    synchronized (this) {
      hasEnded = true;
      all = List.copyOf(readers);
      notifyAll();
    }
    all.forEach(Reader::close);
    acceptances.shutdown();
    try {
      long ends = System.nanoTime() + CLOSE_LIMIT.toNanos();
      for (Reader reader : all) {
        reader.awaitClosed(Duration.ofNanos(ends - System.nanoTime()));
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized List<Offer> nextOffers(int count, long ends) {
    sweep();
    while (!hasEnded) {
      List<Offer> offers = take(count);
      if (!offers.isEmpty()) {
        return offers;
      }
      readers.stream().map(Reader::failure).filter(Objects::nonNull).findFirst().ifPresent(reason -> {
        throw new ConnectionException("pollJobs: Kafka is not reached: " + reason, null);
      });
      long leftMs = Duration.ofNanos(ends - System.nanoTime()).toMillis();
      if (leftMs <= 0) {
        return List.of();
      }
      try {
        wait(leftMs);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw new Cancelled();
      }
    }
    throw new ConnectionException("pollJobs: the worker takes no more jobs", null);
  }

  /** Those of higher tiers first, and of a tier one of each reader in turn. */
  private List<Offer> take(int count) {
    List<Offer> taken = new ArrayList<>();
    for (int tier = 0; tier < Topics.TIERS.size(); tier++) {
      for (int before = -1; before < taken.size() && taken.size() < count; ) {
        before = taken.size();
        for (Reader reader : readers) {
          Offer offer = taken.size() < count ? reader.take(tier) : null;
          if (offer != null) {
            taken.add(offer);
          }
        }
      }
    }
    return taken;
  }

  private List<ObjectNode> accept(List<Offer> offers) {
    var leases = offers.stream().map(one -> Map.of("id", one.text("id"), "leaseToken", one.text("leaseToken"))).toList();
    var body = Map.of("workerId", workerId, "jobs", leases);
    var request = new Request("acceptJobs", "POST", "/v1/jobs/accept", Map.of(), body, false);
    JsonNode answer;
    synchronized (this) {
      over.clear();
    }
    try {
      answer = heardOut(() -> rest.call(request, new TypeReference<JsonNode>() {}, CallOptions.within(ACCEPT_TIMEOUT).once()));
    } catch (RuntimeException error) {
      putBack(offers);
      throw error;
    }
    return accepted(offers, answer.path("results"));
  }

  /** Makes a call that an interrupt does not end: nobody else would give back what the server has leased to this worker by then. */
  private JsonNode heardOut(Supplier<JsonNode> call) {
    CompletableFuture<JsonNode> answer = CompletableFuture.supplyAsync(call, acceptances);
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return answer.get();
        } catch (InterruptedException stopped) {
          isInterrupted = true;
        } catch (ExecutionException failed) {
          throw failed.getCause() instanceof RuntimeException own ? own : new IllegalStateException(failed.getCause());
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** They are asked about again, those first that came first: accepting may be repeated. */
  private synchronized void putBack(List<Offer> offers) {
    for (int place = offers.size() - 1; place >= 0; place--) {
      offers.get(place).reader().putBack(offers.get(place));
    }
  }

  private synchronized List<ObjectNode> accepted(List<Offer> offers, JsonNode results) {
    List<ObjectNode> jobs = new ArrayList<>();
    for (int place = 0; place < offers.size(); place++) {
      Offer offer = offers.get(place);
      JsonNode result = results.path(place);
      if (!result.path("outcome").asText().equals("ok")) {
        // A duplicate, or an offer that the store has withdrawn: it does not run.
        offer.reader().over(offer);
        continue;
      }
      ObjectNode job = offer.job();
      // The deadline of an offer is the latest possible one; the lease ends with that of the attempt.
      job.remove("deadline");
      for (String field : List.of("leaseToken", "leaseExpiresAt", "progress")) {
        if (result.hasNonNull(field)) {
          job.set(field, result.get(field));
        }
      }
      String token = offer.text("leaseToken");
      if (over.contains(token)) {
        // Its job ended here while this was asked.
        offer.reader().over(offer);
        continue;
      }
      // What runs here came again, as after a rebalance: the server answers the same, and it does not run twice.
      boolean runs = held.containsKey(token);
      List<Offer> all = runs ? held.get(token).offers() : new ArrayList<>();
      all.add(offer);
      held.put(token, new Held(all, System.nanoTime()));
      if (!runs) {
        jobs.add(job);
      }
    }
    return jobs;
  }

  private void sweep() {
    long now = System.nanoTime();
    held.entrySet().stream().filter(one -> now - one.getValue().heardAt() > UNHEARD_MAX_NANOS).map(Map.Entry::getKey)
        .toList().forEach(this::end);
  }

  private void end(String token) {
    over.add(token);
    held.remove(token).offers().forEach(offer -> offer.reader().over(offer));
  }
}
