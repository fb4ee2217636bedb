package dev.trunkline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.trunkline.JobChannel.Kind;
import dev.trunkline.model.JobStatus;
import dev.trunkline.model.Problem;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Decisions without calls. */
class PureTest {
  private static ProblemException problem(int status, Duration retryAfter) {
    return new ProblemException(new Problem("code", "detail", null, null, null, null, null, status, "", "", null), status, retryAfter);
  }

  @Test
  void whatAHandlerThrowsDecidesWhatIsReported() {
    Outcome plain = Outcome.of(new IOException("no"), null);
    assertEquals(Kind.FAIL, plain.kind());
    assertEquals("no", plain.error().message());
    assertEquals("java.io.IOException", plain.error().details().path("type").asText());
    assertNull(plain.retryable());
    Outcome last = Outcome.of(new NonRetryable("gone", "gone", null), null);
    assertFalse(last.retryable());
    assertEquals("gone", last.error().code());
    assertEquals("2000ms", Outcome.of(new RetryAfter(Duration.ofSeconds(2)), null).retryAfter());
    assertEquals(Outcome.release("60000ms"), Outcome.of(new Snooze(Duration.ofMinutes(1)), null));
    assertEquals("cancelled", Outcome.of(new Cancelled(), null).error().code());
  }

  @Test
  void afterACancellationNothingIsReportedAndADrainGivesTheJobBack() {
    for (Cancelled.Reason reason : List.of(Cancelled.Reason.LEASE_LOST, Cancelled.Reason.DEADLINE, Cancelled.Reason.CANCELLED)) {
      assertNull(Outcome.of(new IOException("late"), reason).kind());
    }
    assertEquals(Outcome.release(null), Outcome.of(new NonRetryable("late"), Cancelled.Reason.DRAINING));
  }

  @Test
  void waitsGrowToACeilingAndRetryAfterIsAFloor() {
    assertEquals(Duration.ofMillis(100), Backoffs.exponential(0, 1));
    assertEquals(Duration.ofMillis(400), Backoffs.exponential(2, 1));
    assertEquals(Duration.ofSeconds(5), Backoffs.exponential(500, 1));
    ProblemException asked = problem(429, Duration.ofSeconds(2));
    assertEquals(Duration.ofSeconds(2), Backoffs.before(asked, 0, 0));
    assertEquals(Duration.ofMillis(2_500), Backoffs.before(asked, 0, 1));
  }

  @Test
  void onlyWhatMayPassIsTriedAgain() {
    assertTrue(Backoffs.isTransient(new ConnectionException("cut", null)));
    List.of(429, 502, 503, 504).forEach(status -> assertTrue(Backoffs.isTransient(problem(status, null))));
    List.of(400, 401, 404, 409, 422, 500).forEach(status -> assertFalse(Backoffs.isTransient(problem(status, null))));
    assertTrue(Backoffs.isTransient(problem(409, Duration.ofSeconds(1))));
  }

  @Test
  void durations() {
    assertEquals(Duration.ofSeconds(90), Durations.parse("1m 30s"));
    assertEquals(Duration.ofMillis(250), Durations.parse("250ms"));
    List.of("", "s", "5", "5 parsecs").forEach(
        text -> assertThrows(IllegalArgumentException.class, () -> Durations.parse(text), text));
    assertEquals("2ms", Durations.text(Duration.ofNanos(1_000_001)));
  }

  @Test
  void jsonKeepsNumbersExactAndKnowsNoUnknownStatus() throws IOException {
    String text = "{\"n\":18446744073709551617,\"d\":0.12345678901234567890}";
    var tree = Json.shared().readTree(text);
    assertEquals(new BigInteger("18446744073709551617"), tree.get("n").bigIntegerValue());
    assertEquals(text, Json.shared().writeValueAsString(tree));
    assertEquals(JobStatus.UNKNOWN, Json.shared().readValue("\"OF_TOMORROW\"", JobStatus.class));
  }

  @Test
  void signaturesAreThoseOfTheSpecificationAndNothingElseIsAccepted() {
    String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    byte[] body = "{\"test\": 2432232314}".getBytes();
    Instant at = Instant.ofEpochSecond(1614265330);
    String value = Webhooks.sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body);
    assertEquals("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", value);
    var headers = Map.of("Webhook-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp", "1614265330", "Webhook-Signature", value);
    Webhooks.verify(List.of("whsec_b3RoZXI=", secret), headers, body, at);
    Webhooks.verify(List.of(secret), Webhooks.signedHeaders(secret, "msg_1", at, body), body, at);
    List<Runnable> refused = List.of(
        () -> Webhooks.verify(List.of(secret), headers, "{}".getBytes(), at),
        () -> Webhooks.verify(List.of(secret), headers, body, at.plusSeconds(301)),
        () -> Webhooks.verify(List.of(secret), headers, body, at.minusSeconds(301)),
        () -> Webhooks.verify(List.of(secret), Map.of("webhook-id", "m"), body, at),
        () -> Webhooks.verify(List.of("whsec_b3RoZXI="), headers, body, at));
    refused.forEach(call -> assertThrows(Webhooks.InvalidSignature.class, call::run));
  }

  @Test
  void aTransportThatIsNotThereIsSaidWithTheVariablesName() {
    for (String name : List.of("grpc", "kafka", "pigeon")) {
      var builder = TrunklineClient.builder().transport(name);
      String message = assertThrows(TrunklineException.class, builder::build).getMessage();
      assertTrue(message.contains("TRUNKLINE_TRANSPORT=" + name), message);
    }
  }

  @Test
  void aDefinitionIsWhatTheServerTakes() throws IOException {
    var order = WorkflowBuilder.workflow("order").version(2).timeout(Duration.ofHours(1))
        .node("check", Work.task("order.check", Map.of("id", WorkflowBuilder.workflowInput("id"))))
        .node("ship", Work.task("order.ship", WorkflowBuilder.nodeOutput("check")), Work.dependsOn("check"), Work.when("input.ship"))
        .onFailure("tell", Work.task("tell", null))
        .output(WorkflowBuilder.nodeOutput("ship", "parcel-no"));
    String wanted = "{\"name\":\"order\",\"version\":2,\"timeout\":\"3600000ms\",\"output\":\"${nodes.ship.output[\\\"parcel-no\\\"]}\","
        + "\"nodes\":[{\"id\":\"check\",\"type\":\"SERVICE_TASK\",\"jobType\":\"order.check\",\"input\":{\"id\":\"${input.id}\"}},"
        + "{\"id\":\"ship\",\"type\":\"SERVICE_TASK\",\"jobType\":\"order.ship\",\"input\":\"${nodes.check.output}\","
        + "\"dependsOn\":[\"check\"],\"when\":\"input.ship\"}],"
        + "\"onFailure\":[{\"id\":\"tell\",\"type\":\"SERVICE_TASK\",\"jobType\":\"tell\"}]}";
    assertEquals(Json.shared().readTree(wanted), Json.shared().valueToTree(order.definition()));
    var wrong = WorkflowBuilder.workflow("wrong");
    assertThrows(IllegalArgumentException.class, () -> wrong.node("a", Work.waitWebhook(), Work.dependsOn("b")));
  }

  @Test
  void metricsAreThoseOfAllLanguages() {
    WorkerMetrics metrics = new WorkerMetrics(new WorkerListener() {});
    metrics.started("greet");
    metrics.started("greet");
    metrics.finished("greet", WorkerListener.Outcome.COMPLETE, Duration.ofMillis(1_500));
    metrics.finished("a\"b\\", WorkerListener.Outcome.LOST, Duration.ZERO);
    metrics.polled(2);
    metrics.pollFailed(new IllegalStateException("no"));
    assertEquals(List.of(
        "trunkline_worker_handler_seconds_total{job_type=\"a\\\"b\\\\\"} 0",
        "trunkline_worker_handler_seconds_total{job_type=\"greet\"} 1.5",
        "trunkline_worker_jobs_ended_total{how=\"complete\",job_type=\"greet\"} 1",
        "trunkline_worker_jobs_ended_total{how=\"lost\",job_type=\"a\\\"b\\\\\"} 1",
        "trunkline_worker_jobs_started_total{job_type=\"greet\"} 2",
        "trunkline_worker_poll_failures_total 1"), metrics.render().lines().toList());
  }
}
