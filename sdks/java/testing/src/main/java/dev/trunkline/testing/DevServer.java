package dev.trunkline.testing;

import dev.trunkline.TrunklineClient;
import dev.trunkline.TrunklineException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The real server on free ports of the loopback interface, with a SQLite database in a temporary directory. */
public final class DevServer implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("\\s*REST\\s+(http:\\S+)");
  private static final Pattern NOW = Pattern.compile("\"now\":\\s*\"([^\"]+)\"");
  private static final int START_SECONDS = 60;
  private static final int STOP_SECONDS = 10;
  private final Process process;
  private final Path directory;
  private final String url;
  private final String apiKey;

  private DevServer(Process process, Path directory, String url, String apiKey) {
    this.process = process;
    this.directory = directory;
    this.url = url;
    this.apiKey = apiKey;
  }

  /**
   * Starts <code>TRUNKLINE_BINARY</code>, or <code>trunkline</code> on the path.
   *
   * @return the server; close it
   */
  public static DevServer start() {
    return start(Map.of());
  }

  /**
   * Starts it with settings.
   *
   * @param environment such as <code>TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE</code> to <code>2s</code>
   * @return the server; close it
   */
  public static DevServer start(Map<String, String> environment) {
    return start(List.of("serve"), environment);
  }

  /**
   * Starts one whose time jumps to the next timer or retry while no job is leased and no request is in work. Schedules fire by
   * {@link #advance} only.
   *
   * @param environment settings, as of {@link #start(Map)}
   * @return the server; close it
   */
  public static DevServer startTimeSkipping(Map<String, String> environment) {
    return start(List.of("dev", "--time-skip"), environment);
  }

  /**
   * As {@link #startTimeSkipping(Map)}, without settings.
   *
   * @return the server; close it
   */
  public static DevServer startTimeSkipping() {
    return startTimeSkipping(Map.of());
  }

  private static DevServer start(List<String> verb, Map<String, String> environment) {
    String given = System.getenv("TRUNKLINE_BINARY");
    String binary = given == null || given.isEmpty() ? "trunkline" : given;
    String key = "tl_test_" + UUID.randomUUID().toString().replace("-", "");
    try {
      Path directory = Files.createTempDirectory("trunkline-");
      List<String> command = Stream.concat(Stream.of(binary), verb.stream()).toList();
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
          .redirectError(directory.resolve("server.log").toFile());
      Map<String, String> settings = builder.environment();
      settings.keySet().removeIf(name -> name.startsWith("TRUNKLINE_") || name.equals("DATABASE_URL") || name.equals("PORT"));
      settings.putAll(Map.of("TRUNKLINE_HTTP", "127.0.0.1:0", "TRUNKLINE_GRPC", "127.0.0.1:0",
          "TRUNKLINE_METRICS", "127.0.0.1:0", "TRUNKLINE_BOOTSTRAP_KEY", key,
          "TRUNKLINE_DATABASE_URL", "sqlite://" + directory.resolve("trunkline.db"), "TMPDIR", directory.toString()));
      settings.putAll(environment);
      Process process = builder.start();
      return new DevServer(process, directory, address(process, directory), key);
    } catch (IOException error) {
      throw new TrunklineException(binary + " did not start; is it on the path, or TRUNKLINE_BINARY set?", error);
    }
  }

  private static String address(Process process, Path directory) throws IOException {
    CompletableFuture<String> found = new CompletableFuture<>();
    Thread reader = new Thread(() -> {
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Matcher match = ADDRESS.matcher(line);
          if (match.find()) {
            found.complete(match.group(1));
          }
        }
        found.completeExceptionally(new IOException("it ended: see " + directory.resolve("server.log")));
      } catch (IOException error) {
        found.completeExceptionally(error);
      }
    }, "trunkline-dev-server");
    reader.setDaemon(true);
    reader.start();
    try {
      return found.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (Exception error) {
      process.destroyForcibly();
      throw new IOException("no address came", error);
    }
  }

  /**
   * Where REST is.
   *
   * @return the address
   */
  public String url() {
    return url;
  }

  /**
   * A key that may do everything.
   *
   * @return the key
   */
  public String apiKey() {
    return apiKey;
  }

  /**
   * A client of it.
   *
   * @return the client
   */
  public TrunklineClient client() {
    return TrunklineClient.builder().url(url).apiKey(apiKey).build();
  }

  /**
   * Moves the time of a server that skips on, through all timers, retries and schedules that lie between. Waits while a job is
   * leased or a request is in progress.
   *
   * @param by how far
   * @return its time then
   */
  public Instant advance(Duration by) {
    return moveTime("{\"advance\": \"" + by.toMillis() + "ms\"}");
  }

  /**
   * Says whether the time of a server that skips jumps by itself.
   *
   * @param on whether it does
   * @return its time now
   */
  public Instant skip(boolean on) {
    return moveTime("{\"skip\": " + on + "}");
  }

  private Instant moveTime(String asked) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/dev/time")).timeout(Duration.ofMinutes(1))
        .header("authorization", "Bearer " + apiKey).header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(asked)).build();
    try {
      HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      Matcher now = NOW.matcher(answer.body());
      if (answer.statusCode() != 200 || !now.find()) {
        throw new TrunklineException("the time could not be moved: " + answer.body(), null);
      }
      return Instant.parse(now.group(1));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new TrunklineException("interrupted", error);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
