package dev.trunkline.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.JobFailed;
import dev.trunkline.RetryAfter;
import dev.trunkline.Snooze;
import dev.trunkline.TrunklineClient;
import dev.trunkline.Work;
import dev.trunkline.Worker;
import dev.trunkline.WorkflowBuilder;
import dev.trunkline.model.JobStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class KitTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  record Greet(String name) {}

  private static String greet(Greet in) {
    return "Hello, " + in.name();
  }

  @Test
  void aHandlerWithAFakeContext() {
    FakeContext context = new FakeContext(2, Map.of("page", 7));
    context.progress(8);
    assertEquals(7, context.previousProgress().orElseThrow().path("page").asInt());
    assertEquals(8, context.reported().get(0).asInt());
    context.cancel();
    assertTrue(context.isCancelled());
  }

  @Test
  void retriesCarryProgressOverAndSnoozesCostNoAttempt() {
    MemoryServer memory = new MemoryServer();
    TrunklineClient client = memory.client();
    List<String> seen = new CopyOnWriteArrayList<>();
    Worker worker = Worker.builder(client)
        .middleware((data, context, next) -> {
          seen.add(context.jobType());
          return next.run();
        })
        .handle("flaky", JsonNode.class, (data, context) -> {
          if (context.previousProgress().isEmpty()) {
            context.progress(1);
            throw new Snooze(MINUTE);
          }
          switch (context.attempt()) {
            case 1 -> throw new IOException("once");
            case 2 -> throw new RetryAfter(Duration.ofSeconds(2));
            default -> {
              return context.attempt();
            }
          }
        }).build();
    var job = client.enqueue("flaky", 1);
    memory.drain(worker, MINUTE);
    assertEquals(3, job.await(MINUTE, Integer.class));
    assertEquals(1, memory.job(job.id()).snoozes());
    assertEquals(List.of("60000ms", "2000ms"), memory.job(job.id()).waits());
    assertEquals(4, seen.size());
  }

  @Test
  void dataThatDoesNotFitIsADeadLetterAtOnce() {
    MemoryServer memory = new MemoryServer();
    TrunklineClient client = memory.client();
    Worker worker = Worker.builder(client).handle("greet", Greet.class, (in, context) -> greet(in)).build();
    var job = client.enqueue("greet", Map.of("name", Map.of("first", "Ada")));
    memory.drain(worker, MINUTE);
    JobFailed failed = assertThrows(JobFailed.class, () -> job.await(MINUTE));
    assertEquals("invalid_data", failed.code());
    assertEquals(JobStatus.DEAD_LETTER, failed.status());
    assertEquals(1, memory.job(job.id()).attempts());
  }

  @Test
  void theRealServer() {
    try (DevServer server = DevServer.start(); TrunklineClient client = server.client();
        Worker worker = Worker.builder(client).handle("greet", Greet.class, (in, context) -> greet(in)).build()) {
      var hello = WorkflowBuilder.workflow("hello")
          .node("greet", Work.task("greet", WorkflowBuilder.workflowInput()))
          .node("go", Work.signal("go"), Work.dependsOn("greet"))
          .output(WorkflowBuilder.nodeOutput("greet"));
      assertEquals(1, client.push(hello).version());
      worker.start();
      var run = client.start("hello", new Greet("Ada"));
      run.signal("go", null);
      assertEquals("Hello, Ada", run.await(MINUTE, String.class));
    }
  }

  @Test
  void aServerWhoseTimeSkips() {
    try (DevServer server = DevServer.startTimeSkipping(); TrunklineClient client = server.client()) {
      client.push(Map.of("name", "reminder", "version", 1,
          "nodes", List.of(Map.of("id", "wait", "type", "TIMER", "duration", "1d"))));
      Instant before = server.skip(true);
      client.start("reminder", Map.of()).await(MINUTE);
      Instant after = server.skip(false);
      assertTrue(Duration.between(before, after).compareTo(Duration.ofDays(1)) >= 0, after.toString());
      Instant later = server.advance(Duration.ofDays(7));
      assertTrue(Duration.between(after, later).compareTo(Duration.ofDays(7)) >= 0, later.toString());
    }
  }
}
