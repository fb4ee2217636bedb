package dev.trunkline;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Executors;

/** What the worker knows of its delivery channel, which is its polls and nothing else, and /healthz that says so. */
final class Health {
  enum Status { STARTING, OK, DISCONNECTED, DRAINING }

  private Status status = Status.STARTING;
  private String error;

  synchronized Status status() {
    return status;
  }

  synchronized void set(Status now, Throwable why) {
    if (status != Status.DRAINING) {
      status = now;
    }
    error = why == null ? null : String.valueOf(why.getMessage());
  }

  private synchronized byte[] report() throws IOException {
    var body = Json.shared().createObjectNode().put("status", status.name().toLowerCase(Locale.ROOT));
    return Json.shared().writeValueAsBytes(error == null ? body : body.put("error", error));
  }

  /** Serves {@code /healthz} and {@code /metrics} at {@code host:port}. */
  HttpServer serve(String address, WorkerMetrics metrics) {
    try {
      int colon = address.lastIndexOf(':');
      String host = colon <= 0 ? "127.0.0.1" : address.substring(0, colon).replaceAll("[\\[\\]]", "");
      int port = Integer.parseInt(address.substring(colon + 1));
      HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 0);
      server.setExecutor(Executors.newSingleThreadExecutor(Threads.daemons("trunkline-health")));
      server.createContext("/", this::answer);
      server.createContext("/metrics", exchange -> {
        try (exchange) {
          exchange.getResponseHeaders().set("content-type", "text/plain; version=0.0.4");
          // In chunks, since there may be nothing.
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write(metrics.render().getBytes(StandardCharsets.UTF_8));
        }
      });
      server.start();
      return server;
    } catch (IOException | NumberFormatException fault) {
      throw new TrunklineException("TRUNKLINE_WORKER_HEALTH=" + address + ": " + fault.getMessage()
          + "; write it as 127.0.0.1:8090", fault);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals("/healthz")) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      byte[] body = report();
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.getResponseHeaders().set("cache-control", "no-store");
      exchange.sendResponseHeaders(status() == Status.OK ? 200 : 503, body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
