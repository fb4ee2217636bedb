package dev.trunkline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trunkline.api.CallOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The REST transport against a server that answers as the test says. */
class RestTransportTest {
  private interface Answer {
    void give(HttpExchange exchange) throws IOException;
  }

  private static final Answer BUSY = answer(503, "{\"code\":\"overloaded\",\"detail\":\"busy\"}", "0");
  private static final Answer MADE = answer(202, "{\"id\":\"job_1\",\"position\":1,\"status\":\"QUEUED\"}", null);
  private static final Answer CUT = HttpExchange::close;
  private final List<String> keys = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  private static Answer answer(int status, String body, String retryAfter) {
    return exchange -> {
      if (retryAfter != null) {
        exchange.getResponseHeaders().set("retry-after", retryAfter);
      }
      exchange.sendResponseHeaders(status, body.length());
      exchange.getResponseBody().write(body.getBytes());
      exchange.close();
    };
  }

  private TrunklineClient scripted(Answer... answers) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> {
      exchange.getRequestBody().readAllBytes();
      int number = keys.size();
      keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("idempotency-key")));
      answers[Math.min(number, answers.length - 1)].give(exchange);
    });
    server.start();
    return TrunklineClient.builder().url("http://127.0.0.1:" + server.getAddress().getPort() + "/").apiKey("k").build();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
    threads.shutdownNow();
  }

  @Test
  void aBusyServerAndACutConnectionAreAskedAgainWithTheSameKey() throws IOException {
    assertEquals("job_1", scripted(BUSY, CUT, MADE).enqueue("greet", 1).id());
    assertTrue(keys.size() >= 3, keys.toString());
    assertEquals(1, new HashSet<>(keys).size(), keys.toString());
  }

  @Test
  void aRefusalIsAProblemAtOnce() throws IOException {
    String body = "{\"code\":\"invalid\",\"detail\":\"no\",\"errors\":[{\"pointer\":\"/jobType\",\"message\":\"bad\"}]}";
    TrunklineClient client = scripted(answer(422, body, null));
    ProblemException problem = assertThrows(ProblemException.class, () -> client.enqueue("x y", 1));
    assertEquals(422, problem.status());
    assertEquals("invalid", problem.code());
    assertTrue(problem.getMessage().contains("/jobType: bad"));
    assertEquals(1, keys.size());
  }

  @Test
  void everyCallHasADeadline() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    TrunklineClient client = scripted(exchange -> {
      try {
        never.await(1, TimeUnit.MINUTES);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    });
    CallOptions shortly = CallOptions.within(Duration.ofMillis(50));
    assertThrows(CallTimeout.class, () -> client.calls().getQueue("x", shortly));
    never.countDown();
  }

  @Test
  void aStreamOfEventsThatEndsOrIsSilentIsOpenedAgain() throws Exception {
    byte[] event = ": hello\n\nevent: execution\ndata: {\"kind\":\"execution\",\"executionId\":\"exe_1\"}\n\n".getBytes();
    CountDownLatch never = new CountDownLatch(1);
    Answer whole = exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write(event);
      exchange.close();
    };
    Answer silent = exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().flush();
      try {
        never.await(1, TimeUnit.MINUTES);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    };
    scripted(whole, silent, whole);
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/events");
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    RestEventStream stream = new RestEventStream(() -> seen.add("opened"), one -> seen.add(one.kind()), failed -> seen.add("failed"),
        Duration.ofSeconds(2), () -> http.sendAsync(HttpRequest.newBuilder(address).build(), BodyHandlers.ofInputStream()));
    stream.start();
    try {
      for (String expected : List.of("opened", "execution", "resync", "resync", "execution")) {
        assertEquals(expected, seen.poll(20, TimeUnit.SECONDS));
      }
    } finally {
      stream.close();
      never.countDown();
    }
  }

  @Test
  void aServerThatIsNotThereIsAConnectionError() {
    TrunklineClient client = TrunklineClient.builder().url("http://127.0.0.1:9").timeout(Duration.ofSeconds(2)).build();
    assertThrows(ConnectionException.class, () -> client.enqueue("greet", 1));
  }
}
