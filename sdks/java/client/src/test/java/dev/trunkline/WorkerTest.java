package dev.trunkline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.model.ChangeEvent;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker over a transport that answers as the test says. */
@Timeout(30)
class WorkerTest {
  /** Something that may wait. */
  private interface Wait {
    void run() throws InterruptedException;
  }

  /** Polls are answered one after another, reports at once. A poll without an answer waits. */
  private static final class Scripted implements Transport {
    private final ObjectMapper mapper = Json.mapper();
    private final BlockingQueue<String> polls = new LinkedBlockingQueue<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch lastPoll = new CountDownLatch(1);
    private final CountDownLatch lastPollIsOver = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<String> released = new CopyOnWriteArrayList<>();
    private Wait onCompletion = () -> { };
    private Function<JsonNode, String> onHeartbeat = jobs -> "ok";
    private String cancelledBefore;
    private BiConsumer<String, String> lost;

    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public <T> T call(Request request, TypeReference<T> type, CallOptions options) {
      calls.add(request.name());
      JsonNode jobs = mapper.valueToTree(request.body()).path("jobs");
      if (request.name().equals("releaseJobs")) {
        jobs.forEach(one -> released.add(one.path("leaseToken").asText()));
        release.countDown();
      }
      try {
        if (request.name().equals("completeJobs")) {
          onCompletion.run();
        }
        String outcome = request.name().equals("heartbeatJobs") ? onHeartbeat.apply(jobs) : "ok";
        String answer = "{\"results\": [{\"id\": \"job_1\", \"outcome\": \"" + outcome + "\"}]}";
        if (request.name().equals("pollJobs")) {
          answer = polls.take();
          if (cancelledBefore != null) {
            lost.accept(cancelledBefore, "cancelled");
            cancelledBefore = null;
          }
          if (polls.isEmpty()) {
            lastPoll.countDown();
          }
        }
        return mapper.readValue(answer, type);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new Cancelled();
      } catch (IOException wrong) {
        throw new IllegalStateException(wrong);
      }
    }

    @Override
    public void onCancel(String workerId, BiConsumer<String, String> call) {
      lost = call;
    }

    @Override
    public void endDelivery(String workerId) {
      lastPollIsOver.countDown();
    }

    @Override
    public Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
      return () -> { };
    }

    @Override
    public void close() {}
  }

  private static String job(String token) {
    return "{\"jobs\": [{\"id\": \"job_1\", \"jobType\": \"greet\", \"attempt\": 1, \"data\": 1, \"tenant\": \"default\","
        + "\"leaseToken\": \"" + token + "\", \"leaseExpiresAt\": \"" + Instant.now().plusSeconds(60) + "\"}]}";
  }

  private static Worker.Builder worker(Transport transport) {
    return Worker.builder(TrunklineClient.builder().transport(transport).build()).health(null);
  }

  @Test
  void aCancellationThatComesBeforeItsJobBeginsIsKept() throws Exception {
    Scripted transport = new Scripted();
    CompletableFuture<String> ended = new CompletableFuture<>();
    // The stream is read beside the poll, which is answered only after this.
    transport.cancelledBefore = "t1";
    transport.polls.add(job("t1"));
    WorkerListener listener = new WorkerListener() {
      @Override
      public void finished(String jobType, Outcome outcome, java.time.Duration duration) {
        ended.complete(outcome.name());
      }
    };
    try (Worker worker = worker(transport).listener(listener).handle("greet", Integer.class, (n, context) -> n).build()) {
      worker.start();
      assertEquals("LOST", ended.get(20, TimeUnit.SECONDS));
    }
    assertEquals(0, transport.calls.stream().filter("completeJobs"::equals).count());
  }

  @Test
  void aWorkerThatAnOperatorDrainsFinishesWhatItHasAndEnds() {
    Scripted transport = new Scripted();
    transport.polls.addAll(List.of(job("t1"), "{\"jobs\": [], \"drain\": true}"));
    Worker worker = worker(transport).handle("greet", Integer.class, (n, context) -> {
      transport.lastPoll.await();
      return n;
    }).build();
    worker.run();
    assertEquals(List.of("pollJobs", "pollJobs", "completeJobs"), transport.calls);
  }

  @Test
  void aJobWhoseResultIsOnItsWayIsNotGivenBack() throws Exception {
    CountDownLatch reported = new CountDownLatch(1);
    Scripted transport = new Scripted();
    transport.onCompletion = () -> {
      reported.countDown();
      transport.release.await();
    };
    String stubborn = job("stubborn").replace("\"data\": 1", "\"data\": 2");
    transport.polls.addAll(List.of(job("ended"), stubborn, "{\"jobs\": []}"));
    CountDownLatch never = new CountDownLatch(1);
    Worker worker = worker(transport).concurrency(3).drainTimeout(Duration.ZERO).handle("greet", Integer.class, (n, context) -> {
      while (n == 2 && never.getCount() > 0) {
        try {
          never.await();
        } catch (InterruptedException ignored) {
          // It never ends.
        }
      }
      return n;
    }).build();
    worker.start();
    reported.await();
    transport.lastPoll.await();
    worker.stop();
    never.countDown();
    assertEquals(List.of("stubborn"), transport.released);
    assertEquals(1, transport.calls.stream().filter("completeJobs"::equals).count());
  }

  @Test
  void aJobThatEndedLeavesNoTimerBehind() throws Exception {
    Scripted transport = new Scripted();
    String deadline = "\"deadline\": \"" + Instant.now().plusSeconds(3600) + "\", \"data\": 1";
    transport.polls.addAll(List.of(job("t1").replace("\"data\": 1", deadline), "{\"jobs\": [], \"drain\": true}"));
    AtomicReference<WorkerLoop> loop = new AtomicReference<>();
    CompletableFuture<Integer> timers = new CompletableFuture<>();
    loop.set(new WorkerLoop(worker(transport).listener(new WorkerListener() {
      @Override
      public void finished(String jobType, Outcome outcome, Duration took) {
        timers.complete(loop.get().timers());
      }
    }).handle("greet", Integer.class, (n, context) -> {
      // Polls have timers of their own.
      transport.lastPollIsOver.await();
      return n;
    })));
    loop.get().run();
    assertEquals(0, timers.get(20, TimeUnit.SECONDS));
  }

  @Test
  void progressThatTheServerRefusesDoesNotKeepALeaseFromBeingRenewed() throws Exception {
    CountDownLatch renewed = new CountDownLatch(1);
    Scripted transport = new Scripted();
    transport.onHeartbeat = jobs -> {
      if (jobs.get(0).hasNonNull("progress")) {
        return "rejected";
      }
      renewed.countDown();
      return "ok";
    };
    transport.polls.addAll(List.of(job("t1"), "{\"jobs\": [], \"drain\": true}"));
    WorkerListener listener = new WorkerListener() {
      @Override
      public void heartbeatFailed(Throwable error) {
        throw new IllegalStateException("a program's own fault");
      }
    };
    CompletableFuture<Boolean> held = new CompletableFuture<>();
    worker(transport).listener(listener).handle("greet", Integer.class, (n, context) -> {
      context.progress("large");
      held.complete(renewed.await(20, TimeUnit.SECONDS) && !context.isCancelled());
      return n;
    }).build().run();
    assertEquals(true, held.get(20, TimeUnit.SECONDS));
  }

  @Test
  void aJobOfAnotherTypeIsGivenBack() throws Exception {
    Scripted transport = new Scripted();
    transport.polls.addAll(List.of(job("t1"), "{\"jobs\": [], \"drain\": true}"));
    worker(transport).handle("other", Integer.class, (n, context) -> n).build().run();
    transport.release.await();
  }
}
