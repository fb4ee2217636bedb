package dev.trunkline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.api.TransportFactory.Settings;
import dev.trunkline.model.ChangeEvent;
import dev.trunkline.model.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** REST over java.net.http, the default transport. */
final class RestTransport implements Transport {
  private final String base;
  private final String authorization;
  private final Duration timeout;
  private final HttpClient http;

  RestTransport(Settings settings) {
    base = settings.url().replaceAll("/+$", "");
    authorization = settings.apiKey() == null ? null : "Bearer " + settings.apiKey();
    timeout = settings.timeout();
    http = settings.http() != null ? settings.http() : HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10)).build();
  }

  @Override
  public String name() {
    return "rest";
  }

  @Override
  public <T> T call(Request request, TypeReference<T> type, CallOptions options) {
    byte[] body = bytes(request);
    return Repeats.call(request, options, timeout, (key, nanos) -> read(request, type, send(request, body, key, nanos)));
  }

  private HttpResponse<byte[]> send(Request request, byte[] body, String key, long nanos) {
    HttpRequest.Builder call = request(request.path() + query(request.query()), "application/json");
    call.method(request.method(), body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    if (body != null) {
      call.header("content-type", "application/json");
    }
    if (key != null) {
      call.header("idempotency-key", key);
    }
    CompletableFuture<HttpResponse<byte[]>> answer = http.sendAsync(call.build(), BodyHandlers.ofByteArray());
    try {
      return answer.get(Math.max(nanos, 1), TimeUnit.NANOSECONDS);
    } catch (TimeoutException error) {
      answer.cancel(true);
      throw new CallTimeout(request.name() + ": no answer in time", error);
    } catch (InterruptedException error) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new Cancelled();
    } catch (ExecutionException error) {
      throw unreachable(request.name(), error.getCause());
    }
  }

  private <T> T read(Request request, TypeReference<T> type, HttpResponse<byte[]> answer) {
    if (answer.statusCode() >= 300) {
      throw problem(answer.statusCode(), answer, answer.body());
    }
    if (answer.body().length == 0 || type.getType() == Void.class) {
      return null;
    }
    try {
      return Json.shared().readValue(answer.body(), type);
    } catch (IOException error) {
      throw new TrunklineException(request.name() + ": the answer is not what this version knows", error);
    }
  }

  private HttpRequest.Builder request(String path, String accept) {
    HttpRequest.Builder call = HttpRequest.newBuilder(URI.create(base + path)).header("accept", accept);
    return authorization == null ? call : call.header("authorization", authorization);
  }

  private static byte[] bytes(Request request) {
    try {
      return request.body() == null ? null : Json.shared().writeValueAsBytes(request.body());
    } catch (JsonProcessingException error) {
      throw new TrunklineException(request.name() + ": the body is no JSON", error);
    }
  }

  private static String query(Map<String, ?> query) {
    String text = query.entrySet().stream()
        .filter(entry -> entry.getValue() != null)
        .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue().toString(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    return text.isEmpty() ? "" : "?" + text;
  }

  private static ProblemException problem(int status, HttpResponse<?> answer, byte[] body) {
    Duration retryAfter = answer.headers().firstValue("retry-after").filter(text -> text.trim().matches("\\d{1,6}"))
        .map(text -> Duration.ofSeconds(Long.parseLong(text.trim()))).orElse(null);
    Problem problem;
    try {
      problem = Json.shared().readValue(body, Problem.class);
    } catch (IOException error) {
      String text = new String(body, 0, Math.min(body.length, 200), StandardCharsets.UTF_8);
      problem = new Problem("", text, null, null, null, null, null, status, "", "", null);
    }
    return new ProblemException(problem, status, retryAfter);
  }

  static ConnectionException unreachable(String call, Throwable cause) {
    String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    return new ConnectionException(call + ": the server was not reached: " + reason, cause);
  }

  @Override
  public Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    RestEventStream stream = new RestEventStream(opened, each, failed, RestEventStream.SILENCE_MAX, this::openEvents);
    stream.start();
    return stream;
  }

  private CompletableFuture<HttpResponse<java.io.InputStream>> openEvents() {
    return http.sendAsync(request("/v1/events", "text/event-stream").build(), BodyHandlers.ofInputStream());
  }

  static ProblemException eventProblem(HttpResponse<java.io.InputStream> answer) throws IOException {
    return problem(answer.statusCode(), answer, answer.body().readNBytes(1 << 16));
  }

  @Override
  public void close() {
    // The threads of java.net.http end with the client itself.
  }
}
