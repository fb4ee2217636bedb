package dev.trunkline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves job types until it is stopped. */
public final class Worker implements AutoCloseable {
  static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private final WorkerLoop loop;

  private Worker(Builder builder) {
    loop = new WorkerLoop(builder);
  }

  /**
   * Begins a worker.
   *
   * @param client whose transport and codec it uses
   * @return a builder
   */
  public static Builder builder(TrunklineClient client) {
    return new Builder(client);
  }

  /**
   * Serves until SIGTERM or SIGINT comes, {@link #stop} is called, or an operator drains the worker. Then it takes nothing new, waits for handlers up to the drain
   * timeout, cancels the rest, gives their jobs back, and returns.
   *
   * @throws ProblemException where the server refuses the first poll
   */
  public void run() {
    try (Signals ignored = Signals.onStop(loop::requestStop)) {
      loop.run();
    }
  }

  /** Starts serving in the background, without looking at signals. */
  public void start() {
    Thread thread = new Thread(() -> {
      try {
        loop.run();
      } catch (RuntimeException error) {
        LOG.error("the worker stopped", error);
      }
    }, "trunkline-worker");
    thread.setDaemon(true);
    thread.start();
  }

  /** Drains, and returns once that is done. */
  public void stop() {
    loop.requestStop();
    loop.awaitEnd();
  }

  /** The same as {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  /**
   * Whether jobs can reach this worker, as <code>/healthz</code> says.
   *
   * @return whether polls come back and it does not drain
   */
  public boolean isHealthy() {
    return loop.health().status() == Health.Status.OK;
  }

  /** Builds a worker. */
  public static final class Builder {
    final TrunklineClient client;
    final Map<String, Handler<JsonNode, JsonNode>> handlers = new LinkedHashMap<>();
    final List<Middleware> middleware = new ArrayList<>();
    int concurrency = 10;
    Duration pollWait = Duration.ofSeconds(20);
    Duration drainTimeout = Durations.parse(env("TRUNKLINE_DRAIN_TIMEOUT", "25s"));
    Duration lease;
    String tenant;
    String buildId;
    List<String> builds;
    String health = env("TRUNKLINE_WORKER_HEALTH", null);
    String workerId = env("HOSTNAME", "worker") + "-" + ProcessHandle.current().pid() + "-"
        + UUID.randomUUID().toString().substring(0, 8);
    WorkerListener listener = new WorkerListener() {};

    private Builder(TrunklineClient client) {
      this.client = client;
      tenant = client.tenant();
    }

    private static String env(String name, String otherwise) {
      String value = System.getenv(name);
      return value == null || value.isEmpty() ? otherwise : value;
    }

    /**
     * Serves a job type. Data that does not fit the type fails the job for good with the code <code>invalid_data</code>.
     *
     * @param jobType the job type
     * @param type what the data is read as, such as a record
     * @param handler does the work
     * @param <I> of the data
     * @return this builder
     */
    public <I> Builder handle(String jobType, Class<I> type, Handler<I, ?> handler) {
      return handle(jobType, client.mapper().constructType(type), handler);
    }

    /**
     * Serves a job type whose data is of a generic type.
     *
     * @param jobType the job type
     * @param type what the data is read as, such as <code>new TypeReference&lt;List&lt;Order&gt;&gt;() {}</code>
     * @param handler does the work
     * @param <I> of the data
     * @return this builder
     */
    public <I> Builder handle(String jobType, TypeReference<I> type, Handler<I, ?> handler) {
      return handle(jobType, client.mapper().constructType(type), handler);
    }

    private <I> Builder handle(String jobType, JavaType type, Handler<I, ?> handler) {
      ObjectMapper mapper = client.mapper();
      Handler<JsonNode, JsonNode> before = handlers.put(jobType, (data, context) -> {
        I input;
        try {
          input = mapper.treeToValue(data, type);
        } catch (JsonProcessingException error) {
          String reason = "data does not fit " + jobType + ": " + error.getOriginalMessage();
          throw new NonRetryable(reason, "invalid_data", error);
        }
        return mapper.valueToTree(handler.handle(input, context));
      });
      if (before != null) {
        throw new IllegalArgumentException("two handlers are named " + jobType);
      }
      return this;
    }

    /**
     * How many handlers run side by side; 10 where nothing is said.
     *
     * @param count at least 1
     * @return this builder
     */
    public Builder concurrency(int count) {
      if (count < 1) {
        throw new IllegalArgumentException("concurrency is at least 1");
      }
      concurrency = count;
      return this;
    }

    /**
     * Goes around every handler; the first that is added is the outermost.
     *
     * @param around the middleware
     * @return this builder
     */
    public Builder middleware(Middleware around) {
      middleware.add(around);
      return this;
    }

    /**
     * How long a poll waits for a job; 20 s where nothing is said, at most 30 s.
     *
     * @param wait the wait
     * @return this builder
     */
    public Builder pollWait(Duration wait) {
      pollWait = wait.compareTo(Duration.ofSeconds(30)) > 0 ? Duration.ofSeconds(30) : wait;
      return this;
    }

    /**
     * How long handlers may go on after SIGTERM; <code>TRUNKLINE_DRAIN_TIMEOUT</code>, else 25 s.
     *
     * @param timeout the bound
     * @return this builder
     */
    public Builder drainTimeout(Duration timeout) {
      drainTimeout = timeout;
      return this;
    }

    /**
     * How long leases hold; the server's setting where nothing is said.
     *
     * @param length the length
     * @return this builder
     */
    public Builder lease(Duration length) {
      lease = length;
      return this;
    }

    /**
     * Takes only jobs of this tenant.
     *
     * @param name the tenant
     * @return this builder
     */
    public Builder tenant(String name) {
      tenant = name;
      return this;
    }

    /**
     * Where <code>/healthz</code> and <code>/metrics</code> listen; <code>TRUNKLINE_WORKER_HEALTH</code>, else nowhere.
     *
     * @param address such as <code>127.0.0.1:8090</code>
     * @return this builder
     */
    public Builder health(String address) {
      health = address;
      return this;
    }

    /**
     * The worker's name; host, process and a random part where nothing is said.
     *
     * @param id the name
     * @return this builder
     */
    public Builder workerId(String id) {
      workerId = id;
      return this;
    }

    /**
     * Names what the worker runs, such as a version or a commit. It is shown beside the worker.
     *
     * @param name of the build
     * @return this builder
     */
    public Builder buildId(String name) {
      buildId = name;
      return this;
    }

    /**
     * Pins the job types to these builds as the worker begins, its own among them: only workers of one of them get their jobs then.
     *
     * @param names of the builds
     * @return this builder
     */
    public Builder builds(String... names) {
      builds = names.length == 0 ? null : List.of(names);
      return this;
    }

    /**
     * Hears of everything that metrics could count.
     *
     * @param hears the listener
     * @return this builder
     */
    public Builder listener(WorkerListener hears) {
      listener = hears;
      return this;
    }

    /**
     * The worker.
     *
     * @return a new one
     */
    public Worker build() {
      if (handlers.isEmpty()) {
        throw new IllegalArgumentException("a worker needs at least one handler");
      }
      return new Worker(this);
    }
  }
}
