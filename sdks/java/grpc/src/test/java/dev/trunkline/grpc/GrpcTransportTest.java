package dev.trunkline.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.DynamicMessage;
import dev.trunkline.Cancelled;
import dev.trunkline.ConnectionException;
import dev.trunkline.ProblemException;
import dev.trunkline.TrunklineClient;
import dev.trunkline.TrunklineException;
import dev.trunkline.Worker;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.model.JobRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract as data, errors, and the rules of a worker's stream against a server that is scripted here. */
@Timeout(60)
class GrpcTransportTest {
  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final BlockingQueue<Cancelled.Reason> cancelled = new LinkedBlockingQueue<>();
  private final CountDownLatch go = new CountDownLatch(1);
  private FakeServer server;

  @BeforeEach
  void start() throws IOException {
    server = new FakeServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private TrunklineClient client(Duration silence) {
    var transport = GrpcTransport.builder("http://127.0.0.1").grpcUrl(server.url()).apiKey("tl_key").silence(silence).build();
    return TrunklineClient.builder().transport(transport).build();
  }

  /** A worker whose handler waits until it is let go, or cancelled. */
  private Worker worker(Duration silence) {
    return Worker.builder(client(silence)).health(null).concurrency(2).handle("greet", Integer.class, (n, context) -> {
      begun.add(context.jobId());
      try {
        go.await();
      } catch (InterruptedException interrupted) {
        // The reason is in the context.
      }
      try {
        context.throwIfCancelled();
      } catch (Cancelled why) {
        cancelled.add(why.reason());
        throw why;
      }
      return n + 6;
    }).build();
  }

  @Test
  void callsOfRestFindTheirMethods() {
    assertEquals("trunkline.v1.WorkerService/Poll", path("POST", "/v1/jobs/poll", Map.of()));
    assertEquals("trunkline.v1.JobService/Get", path("GET", "/v1/jobs/a%2Fb", Map.of()));
    assertEquals("trunkline.v1.JobService/Wait", path("GET", "/v1/jobs/a%2Fb", Map.of("wait", "true")));
    var request = new Request("getJob", "GET", "/v1/jobs/a%2Fb", Map.of(), null, false);
    assertEquals(Map.of("id", "a/b"), Contract.find(request, Map.of()).orElseThrow().parameters(request.path()));
    assertEquals("trunkline.v1.EventService/Watch", path("GET", "/v1/events", Map.of()));
    assertTrue(Contract.find(new Request("session", "GET", "/v1/session", Map.of(), null, false), Map.of()).isEmpty());
  }

  private static String path(String verb, String path, Map<String, String> query) {
    return Contract.find(new Request("", verb, path, query, null, false), query).orElseThrow().path();
  }

  @Test
  void valuesComeBackAsTheyWent() throws IOException {
    JsonNode body = Messages.MAPPER.readTree("{\"jobType\": \"a\", \"data\": {\"n\": 1180591620717411303424, \"t\": \"žluť\", \"none\": null},"
        + " \"maxRetries\": 0, \"tags\": [\"x\"], \"backoff\": {\"initial\": \"1s\", \"factor\": 2.5, \"jitter\": false}}");
    DynamicMessage message = Messages.write(Contract.own("EnqueueJobRequest"), body);
    JsonNode read = Messages.read(DynamicMessage.parseFrom(Contract.own("EnqueueJobRequest"), message.toByteString()));
    assertEquals(Messages.MAPPER.readTree(body.toString()).get("data"), read.get("data"));
    assertEquals(0, read.get("maxRetries").asInt());
    assertEquals(2.5, read.get("backoff").get("factor").asDouble());
    assertFalse(read.get("backoff").get("jitter").asBoolean());
    JsonNode failure = Messages.read(Messages.write(Contract.own("Failure"), Messages.MAPPER.readTree("{\"id\": \"1\", \"error\": \"no\"}")));
    assertEquals("no", failure.get("error").get("message").asText());
    JsonNode nothing = Messages.read(Messages.write(Contract.own("Completion"), Messages.MAPPER.readTree("{\"id\": \"1\", \"result\": null}")));
    assertTrue(nothing.get("result").isNull());
    for (String wrong : List.of("{\"maxRetries\": -1}", "{\"maxRetries\": 4294967296}", "{\"tags\": \"x\"}", "{\"backoff\": 1}")) {
      JsonNode json = Messages.MAPPER.readTree(wrong);
      var problem = assertThrows(ProblemException.class, () -> Messages.write(Contract.own("EnqueueJobRequest"), json), wrong);
      assertEquals("/" + json.fieldNames().next(), problem.problem().errors().get(0).pointer());
    }
  }

  @Test
  void jobsWhoseEndIsReportedBesideTheStreamAreNotKept() throws Exception {
    try (GrpcTransport transport = GrpcTransport.builder("http://127.0.0.1").grpcUrl(server.url()).build()) {
      Delivery delivery = new Delivery(transport);
      JsonNode body = Messages.MAPPER.readTree("{\"jobs\": [{\"id\": \"job_1\", \"leaseToken\": \"t-1\"},"
          + " {\"id\": \"job_2\", \"leaseToken\": \"t-2\"}]}");
      for (JsonNode job : body.get("jobs")) {
        delivery.keep(List.of(Messages.write(Contract.own("PolledJob"), job)));
      }
      // The first of a report is not the worker's any more.
      delivery.cancelled("job_1", "cancelled");
      assertTrue(delivery.report("heartbeat", body, Duration.ofSeconds(1)).isEmpty(), "no stream is open");
      assertTrue(delivery.hasAny(body.get("jobs")));
      assertTrue(delivery.report("complete", body, Duration.ofSeconds(1)).isEmpty());
      assertFalse(delivery.hasAny(body.get("jobs")));
    }
  }

  @Test
  void aJobIsReceivedRunAndReportedWithinTheCredits() throws Exception {
    try (Worker worker = worker(Duration.ofMinutes(1))) {
      worker.start();
      FakeServer.Stream stream = server.stream();
      int credits = stream.next("credits").get("credits").get("count").asInt();
      stream.offer("job_1");
      assertEquals("job_1", stream.next("received").get("received").get("ids").get(0).asText());
      assertEquals("job_1", FakeServer.within(begun));
      go.countDown();
      JsonNode report = stream.next("complete");
      assertEquals("{\"id\":\"job_1\",\"leaseToken\":\"t-job_1\",\"result\":7,\"logs\":[]}", report.get("complete").get("jobs").get(0).toString());
      stream.answer(report, "job_1");
      assertEquals(2, credits);
      assertTrue(worker.isHealthy());
    }
  }

  @Test
  void aDrainedStreamIsFollowedByAnotherOverWhichReportsGo() throws Exception {
    try (Worker worker = worker(Duration.ofMinutes(1))) {
      worker.start();
      FakeServer.Stream first = server.stream();
      first.offer("job_1");
      FakeServer.within(begun);
      first.say("{\"drain\": {\"reason\": \"age\"}}");
      FakeServer.Stream second = server.stream();
      first.awaitHalfClose();
      assertEquals(1, second.next("credits").get("credits").get("count").asInt());
      go.countDown();
      second.answer(second.next("complete"), "job_1");
    }
  }

  @Test
  void aWorkerThatAnOperatorDrainsOpensNoOtherStream() throws Exception {
    Worker worker = worker(Duration.ofMinutes(1));
    Thread running = new Thread(worker::run);
    running.start();
    FakeServer.Stream stream = server.stream();
    stream.say("{\"drain\": {\"reason\": \"worker\"}}");
    running.join(20_000);
    assertFalse(running.isAlive());
    assertTrue(server.streams.isEmpty());
  }

  @Test
  void aCancellationRightBehindTheReceiptStopsTheHandler() throws Exception {
    try (Worker worker = worker(Duration.ofMinutes(1))) {
      worker.start();
      FakeServer.Stream stream = server.stream();
      stream.next("credits");
      stream.offer("job_1");
      stream.next("received");
      stream.say("{\"cancel\": {\"jobs\": [{\"id\": \"job_1\", \"reason\": \"cancelled\"}]}}");
      // Its handler began before, or does not begin at all. Once the next one begins, the cancellation has come.
      stream.offer("job_2");
      while (!FakeServer.within(begun).equals("job_2")) {
        assertTrue(go.getCount() > 0);
      }
      go.countDown();
      JsonNode report = stream.next("complete");
      assertEquals("job_2", report.get("complete").get("jobs").get(0).get("id").asText());
      stream.answer(report, "job_2");
      assertTrue(cancelled.stream().allMatch(Cancelled.Reason.CANCELLED::equals));
    }
  }

  @Test
  void aSilentStreamIsDeadAndReportsGoInCallsOfTheirOwn() throws Exception {
    try (Worker worker = worker(Duration.ofSeconds(2))) {
      worker.start();
      FakeServer.Stream stream = server.stream();
      stream.offer("job_1");
      FakeServer.within(begun);
      stream.awaitHalfClose();
      // The next stream is never answered.
      FakeServer.within(server.streams);
      go.countDown();
      JsonNode report = FakeServer.within(server.completions);
      assertEquals("t-job_1", report.get("jobs").get(0).get("leaseToken").asText());
    }
  }

  @Test
  void problemsOfTheServerAreThoseOfRest() {
    server.enqueue = call -> {
      Metadata trailers = new Metadata();
      trailers.put(Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER), details());
      call.close(Status.INVALID_ARGUMENT.withDescription("no"), trailers);
    };
    try (TrunklineClient client = client(Duration.ofMinutes(1))) {
      var problem = assertThrows(ProblemException.class, () -> client.enqueue("a", Map.of()));
      assertEquals(415, problem.status());
      assertEquals("invalid", problem.code());
      assertEquals("/jobType", problem.problem().errors().get(0).pointer());
      assertEquals(Duration.ofMillis(1_500), problem.retryAfter().orElseThrow());
      server.enqueue = call -> call.close(Status.UNAVAILABLE, new Metadata());
      JobRequest request = JobRequest.builder().jobType("a").build();
      assertThrows(ConnectionException.class, () -> client.calls().enqueueJob(request, CallOptions.DEFAULT.once()));
      var servers = assertThrows(TrunklineException.class, () -> client.calls().listServers(CallOptions.DEFAULT));
      assertTrue(servers.getMessage().contains("REST only"), servers.getMessage());
    }
  }

  @Test
  void changesComeAsEventsAndAStreamThatBreaksIsOpenedAgain() throws Exception {
    DynamicMessage change = Messages.write(Contract.own("ChangeEvent"),
        Messages.MAPPER.readTree("{\"kind\": \"execution\", \"executionId\": \"exe_1\", \"ended\": true}"));
    server.watch = (number, call) -> {
      call.sendHeaders(new Metadata());
      call.sendMessage(DynamicMessage.getDefaultInstance(Contract.own("ChangeEvent")));
      if (number != 2) { // which says nothing more
        call.sendMessage(change);
      }
      if (number == 1) {
        call.close(Status.OK, new Metadata());
      }
    };
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (TrunklineClient client = client(Duration.ofSeconds(2))) {
      client.events(() -> seen.add("opened"), event -> seen.add(event.kind() + " " + event.executionId()),
          failed -> seen.add("failed"));
      for (String expected : List.of("opened", "execution exe_1", "resync null", "resync null", "execution exe_1")) {
        assertEquals(expected, FakeServer.within(seen));
      }
    }
  }

  @Test
  void aStreamOfChangesThatIsRefusedIsAProblem() throws Exception {
    BlockingQueue<RuntimeException> failures = new LinkedBlockingQueue<>();
    try (TrunklineClient client = client(Duration.ofMinutes(1))) {
      client.events(() -> { }, event -> { }, failures::add);
      RuntimeException failure = FakeServer.within(failures);
      assertEquals(501, ((ProblemException) failure).status(), failure.toString());
    }
  }

  private static byte[] details() {
    var facts = Map.of("reason", "invalid", "domain", "trunkline", "metadata", Map.of("status", "415"));
    var places = Map.of("fieldViolations", List.of(Map.of("field", "/jobType", "description", "is required")));
    var retry = Map.of("retryDelay", Map.of("seconds", 1, "nanos", 500_000_000));
    var type = Contract.message("trunkline.sdk.Status");
    var detail = Contract.message("trunkline.sdk.Detail");
    DynamicMessage.Builder status = DynamicMessage.newBuilder(type);
    Map.of("ErrorInfo", facts, "BadRequest", places, "RetryInfo", retry).forEach((kind, content) -> {
      ByteString bytes = Messages.write(Contract.message("trunkline.sdk." + kind), Messages.MAPPER.valueToTree(content)).toByteString();
      status.addRepeatedField(type.findFieldByName("details"), DynamicMessage.newBuilder(detail)
          .setField(detail.findFieldByName("type_url"), "type.googleapis.com/google.rpc." + kind)
          .setField(detail.findFieldByName("value"), bytes).build());
    });
    return status.build().toByteArray();
  }
}
