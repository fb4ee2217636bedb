package dev.trunkline;

import dev.trunkline.model.ChangeEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Changes over REST: server-sent events. */
final class RestEventStream extends EventStream {
  private static final long OPEN_SECONDS = 30;
  /** The server says something more often than that, if only a comment. */
  static final Duration SILENCE_MAX = Duration.ofMinutes(1);

  private final Supplier<CompletableFuture<HttpResponse<InputStream>>> open;
  private final long silenceNanos;
  private volatile InputStream current;
  /** When what is read now was asked for; it counts only while something is. */
  private volatile long askedAt;
  private volatile boolean isReading;

  RestEventStream(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed, Duration silence,
      Supplier<CompletableFuture<HttpResponse<InputStream>>> open) {
    super(opened, each, failed);
    this.open = open;
    silenceNanos = silence.toNanos();
  }

  @Override
  protected void read() throws Exception {
    HttpResponse<InputStream> answer = answer();
    try (InputStream body = answer.body()) {
      if (answer.statusCode() != 200) {
        throw RestTransport.eventProblem(answer);
      }
      current = body;
      watch(body, silenceNanos);
      connected();
      readAll(new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8)));
    } finally {
      current = null;
    }
  }

  private HttpResponse<InputStream> answer() throws Exception {
    CompletableFuture<HttpResponse<InputStream>> answer = open.get();
    try {
      return answer.get(OPEN_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      answer.cancel(true);
      throw new ConnectionException("events: no answer in time", late);
    }
  }

  private void readAll(BufferedReader lines) throws IOException {
    StringBuilder data = new StringBuilder();
    for (String line = next(lines); line != null && !isClosed(); line = next(lines)) {
      if (line.startsWith("data:")) {
        data.append(line.substring(5).stripLeading()).append('\n');
      } else if (line.isEmpty() && data.length() > 0) {
        give(Json.shared().readValue(data.toString(), ChangeEvent.class));
        data.setLength(0);
      }
    }
  }

  private String next(BufferedReader lines) throws IOException {
    askedAt = System.nanoTime();
    isReading = true;
    try {
      return lines.readLine();
    } finally {
      isReading = false;
    }
  }

  /** Closes a connection over which a line does not come for too long. */
  private void watch(InputStream body, long nanos) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(() -> {
      if (current != body) {
        return;
      }
      long left = isReading ? askedAt + silenceNanos - System.nanoTime() : silenceNanos;
      if (left > 0) {
        watch(body, left);
      } else {
        close(body);
      }
    });
  }

  @Override
  protected void stop() {
    InputStream body = current;
    if (body != null) {
      close(body);
    }
  }

  private static void close(InputStream body) {
    try {
      body.close();
    } catch (IOException ignored) {
      // It is closed either way.
    }
  }
}
