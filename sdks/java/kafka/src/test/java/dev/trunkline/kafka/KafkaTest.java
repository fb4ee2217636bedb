package dev.trunkline.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.Cancelled;
import dev.trunkline.ConnectionException;
import dev.trunkline.Json;
import dev.trunkline.TrunklineClient;
import dev.trunkline.Worker;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs from a Kafka in memory: accept, duplicates, commits, rebalances, tiers. */
class KafkaTest {
  private static final String NORMAL = "trunkline.jobs.add.normal";
  private final AcceptingServer server = new AcceptingServer();
  private final MemoryKafka kafka = new MemoryKafka();
  private final List<Worker> workers = new ArrayList<>();

  private KafkaTransport transport() {
    return new KafkaTransport(server, KafkaTransport.Options.of("none"), kafka);
  }

  private void serve(String id, int concurrency, IntConsumer handle) {
    Worker worker = Worker.builder(TrunklineClient.builder().transport(transport()).build()).workerId(id)
        .concurrency(concurrency).drainTimeout(Duration.ofMillis(200)).handle("add", Integer.class, (in, ctx) -> {
          handle.accept(in);
          return in;
        }).build();
    worker.start();
    workers.add(worker);
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
    assertEquals(List.of(), server.faults);
  }

  private static void eventually(String what, BooleanSupplier condition) throws InterruptedException {
    for (long ends = System.nanoTime() + Duration.ofSeconds(20).toNanos(); !condition.getAsBoolean(); Thread.sleep(5)) {
      assertTrue(System.nanoTime() < ends, what + ": it did not come true");
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** Topics and messages as the server has them: its tests read the same table. */
  private static JsonNode table(String part) throws IOException {
    return Json.mapper().readTree(Path.of("../../conformance/kafka.json").toFile()).get(part);
  }

  @Test
  void topicsAreThoseOfTheServer() throws IOException {
    for (JsonNode row : table("topics")) {
      boolean isSingle = row.get("layout").asText().equals("single");
      List<String> topics = Topics.of(row.get("prefix").asText(), row.get("jobType").asText(), isSingle);
      assertEquals(row.get("topics"), Json.mapper().valueToTree(topics));
    }
  }

  @Test
  void messagesOfTheRelayAreReadInBothForms() throws IOException {
    for (JsonNode offer : table("offers")) {
      byte[] json = offer.get("json").asText().getBytes(StandardCharsets.UTF_8);
      for (byte[] message : List.of(json, HexFormat.of().parseHex(offer.get("protobuf").asText()))) {
        assertEquals(offer.get("job"), Json.mapper().readTree(Envelope.job(message).toString()), offer.get("about").asText());
        for (int cut = 0; cut < message.length; cut++) {
          assertFalse(isOffer(Arrays.copyOf(message, cut)), "what is cut off at " + cut);
        }
      }
    }
  }

  private static boolean isOffer(byte[] message) {
    try {
      return Envelope.job(message).has("leaseToken");
    } catch (IOException error) {
      return false;
    }
  }

  @Test
  void onlyWhatIsOverIsCommitted() {
    Offsets offsets = new Offsets();
    Place place = new Place("t", 0);
    for (long offset = 5; offset < 9; offset++) {
      offsets.received(place, offset);
    }
    offsets.over(place, 6);
    assertEquals(Map.of(place, 5L), offsets.toCommit());
    offsets.over(place, 5);
    assertEquals(Map.of(place, 7L), offsets.toCommit());
    offsets.committed(Map.of(place, 7L));
    assertEquals(Map.of(), offsets.toCommit());
    offsets.over(place, 7);
    offsets.over(place, 8);
    assertEquals(Map.of(place, 9L), offsets.toCommit());
    offsets.forget(List.of(place));
    offsets.over(place, 8);
    assertEquals(Map.of(), offsets.toCommit());
  }

  @Test
  void jobsAreAcceptedRunAndCommitted() throws InterruptedException {
    server.hold("job_3", "another");
    server.loseAccepts(1);
    for (int number = 0; number < 60; number++) {
      kafka.offer(number, "normal");
    }
    List.of("\b\u0001", "{\"job\": {\"id\": 1}}", "[]").forEach(value -> kafka.publish(NORMAL, value));
    serve("w", 10, number -> {});
    eventually("all are committed", () -> kafka.offset(NORMAL) == 63);
    assertEquals(59, server.done().size());
    assertEquals(Set.of("completeJobs"), Set.copyOf(server.done().values()));
    assertTrue(server.accepts() < 60, "many with one call");
  }

  @Test
  void aJobThatRunsKeepsItsMessageFromBeingCommitted() throws InterruptedException {
    CountDownLatch letGo = new CountDownLatch(1);
    for (int number = 0; number < 5; number++) {
      kafka.offer(number, "normal");
    }
    serve("w", 10, number -> {
      if (number == 1) {
        await(letGo);
      }
    });
    eventually("the others are done", () -> server.done().size() == 4 && kafka.offset(NORMAL) == 1);
    letGo.countDown();
    eventually("all are committed", () -> kafka.offset(NORMAL) == 5);
  }

  @Test
  void aRebalanceCostsNoAttemptAndRunsNothingTwice() throws InterruptedException {
    CountDownLatch letGo = new CountDownLatch(1);
    for (int number = 0; number < 20; number++) {
      kafka.offer(number, "normal");
    }
    serve("first", 2, number -> await(letGo));
    eventually("the first has two", () -> server.heldBy("first") == 2);
    serve("second", 2, number -> await(letGo));
    // It is answered "taken" for what the first one has, and goes on with the rest.
    eventually("the second has some", () -> server.heldBy("second") > 0);
    letGo.countDown();
    eventually("all are done", () -> server.done().size() == 20 && kafka.offset(NORMAL) == 20);
    assertEquals(2, server.heldBy("first"));
  }

  /** Its partitions may come back as they went, which is paused. */
  @Test
  void aWorkerThatHadEnoughReadsOnAfterARebalance() throws InterruptedException {
    CountDownLatch letGo = new CountDownLatch(1);
    for (int number = 0; number < 40; number++) {
      kafka.offer(number, "normal");
    }
    serve("w", 2, number -> await(letGo));
    eventually("it has enough", () -> server.heldBy("w") == 2 && kafka.isPaused(NORMAL));
    kafka.rebalance();
    eventually("its partitions went", kafka::hasRebalanced);
    letGo.countDown();
    eventually("all are done", () -> server.done().size() == 40 && kafka.offset(NORMAL) == 40);
  }

  /** As after a rebalance that gives a worker its partitions again, or where a relay publishes again. */
  @Test
  void aMessageThatComesAgainDoesNotRunItsJobTwice() throws InterruptedException {
    CountDownLatch letGo = new CountDownLatch(1);
    BlockingQueue<Integer> begun = new LinkedBlockingQueue<>();
    serve("w", 10, number -> {
      begun.add(number);
      if (number == 1) {
        await(letGo);
      }
    });
    kafka.offer(1, "normal");
    assertEquals(1, begun.take());
    kafka.offer(1, "normal");
    kafka.offer(2, "normal");
    assertEquals(2, begun.take());
    eventually("the second is done", () -> server.done().size() == 1);
    assertEquals(0, kafka.offset(NORMAL), "a message of what runs is not committed");
    letGo.countDown();
    eventually("all are committed", () -> kafka.offset(NORMAL) == 3);
    assertEquals(0, begun.size());
  }

  /** Nobody else would give them back. */
  @Test
  void jobsWhoseAcceptanceIsOnItsWayWhenAWorkerEndsAreRun() throws InterruptedException {
    CountDownLatch answered = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    server.afterAccepts(() -> {
      answered.countDown();
      try {
        goOn.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new Cancelled();
      }
    });
    kafka.offer(1, "normal");
    Worker worker = Worker.builder(TrunklineClient.builder().transport(transport()).build())
        .drainTimeout(Duration.ofSeconds(20)).handle("add", Integer.class, (in, ctx) -> in).build();
    workers.add(worker);
    worker.start();
    answered.await();
    Thread stopping = new Thread(worker::stop);
    stopping.start();
    eventually("it is asked to stop", () -> stopping.getState() == Thread.State.WAITING);
    goOn.countDown();
    stopping.join();
    assertEquals("completeJobs", server.done().get("job_1"));
  }

  @Test
  void higherTiersAreReadFirstAndAKafkaThatIsAwayShows() throws InterruptedException {
    kafka.fail("no broker answers");
    var body = Map.of("workerId", "w", "jobTypes", List.of("add"), "maxJobs", 10, "wait", "5s");
    var poll = new Request("pollJobs", "POST", "/v1/jobs/poll", Map.of(), body, false);
    try (KafkaTransport transport = transport()) {
      var error = assertThrows(ConnectionException.class,
          () -> transport.call(poll, new TypeReference<JsonNode>() {}, CallOptions.DEFAULT));
      assertTrue(error.getMessage().contains("no broker answers"), error.getMessage());
      // All at once: its reader would take those of a lower tier that are there first.
      synchronized (kafka) {
        for (int number = 0; number < 30; number++) {
          kafka.offer(number, List.of("low", "normal", "high").get(number / 10));
        }
      }
      kafka.fail(null);
      List<Integer> order = new ArrayList<>();
      eventually("all come", () -> {
        try {
          JsonNode answer = transport.call(poll, new TypeReference<JsonNode>() {}, CallOptions.DEFAULT);
          answer.path("jobs").forEach(job -> order.add(job.path("data").asInt() / 10));
        } catch (ConnectionException still) {
          // Until its thread has found out.
        }
        return order.size() == 30;
      });
      assertEquals(order.stream().sorted((one, other) -> other - one).toList(), order);
    }
  }
}
