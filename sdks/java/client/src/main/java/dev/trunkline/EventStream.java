package dev.trunkline;

import dev.trunkline.api.Transport.Subscription;
import dev.trunkline.model.ChangeEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Server-sent events, opened again when they break. */
final class EventStream extends Thread implements Subscription {
  private static final long OPEN_SECONDS = 30;
  private final Runnable opened;
  private final Consumer<ChangeEvent> each;
  private final Consumer<RuntimeException> failed;
  private final Supplier<CompletableFuture<HttpResponse<InputStream>>> open;
  private volatile boolean isClosed;
  private volatile InputStream current;

  EventStream(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed,
      Supplier<CompletableFuture<HttpResponse<InputStream>>> open) {
    super("trunkline-events");
    setDaemon(true);
    this.opened = opened;
    this.each = each;
    this.failed = failed;
    this.open = open;
  }

  @Override
  public void run() {
    int failures = 0;
    for (int opening = 0; !isClosed; opening++) {
      TrunklineException error;
      try {
        failures = readOnce(opening);
        error = new ConnectionException("events: the stream ended", null);
      } catch (TrunklineException refused) {
        error = refused;
      } catch (Exception broken) {
        error = RestTransport.unreachable("events", broken);
      }
      if (isClosed) {
        return;
      }
      if (!Backoffs.isTransient(error)) {
        failed.accept(error);
        return;
      }
      try {
        Thread.sleep(Backoffs.before(error, failures++, ThreadLocalRandom.current().nextDouble()).toMillis());
      } catch (InterruptedException closed) {
        return;
      }
    }
  }

  private int readOnce(int opening) throws Exception {
    HttpResponse<InputStream> answer = open.get().get(OPEN_SECONDS, TimeUnit.SECONDS);
    try (InputStream body = answer.body()) {
      if (answer.statusCode() != 200) {
        throw RestTransport.eventProblem(answer);
      }
      current = body;
      if (opening == 0) {
        opened.run();
      } else {
        each.accept(new ChangeEvent(null, null, null, "resync", null));
      }
      readAll(body);
    }
    return 0;
  }

  private void readAll(InputStream body) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    StringBuilder data = new StringBuilder();
    for (String line = lines.readLine(); line != null && !isClosed; line = lines.readLine()) {
      if (line.startsWith("data:")) {
        data.append(line.substring(5).stripLeading()).append('\n');
      } else if (line.isEmpty() && data.length() > 0) {
        each.accept(Json.shared().readValue(data.toString(), ChangeEvent.class));
        data.setLength(0);
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
    InputStream body = current;
    try {
      if (body != null) {
        body.close();
      }
    } catch (IOException ignored) {
      // It is closed either way.
    }
    interrupt();
  }
}
