package dev.trunkline;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Calls;
import dev.trunkline.api.Transport;
import dev.trunkline.api.TransportFactory;
import dev.trunkline.model.BatchResultEnqueued;
import dev.trunkline.model.ChangeEvent;
import dev.trunkline.model.Enqueued;
import dev.trunkline.model.JobBatch;
import dev.trunkline.model.JobRequest;
import dev.trunkline.model.Problem;
import dev.trunkline.model.RegisteredWorkflow;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/** A client of one server. It is safe for concurrent use. */
public final class TrunklineClient implements AutoCloseable {
  private final Transport transport;
  private final Calls calls;
  private final PayloadCodec codec;
  private final ObjectMapper mapper;
  private final String tenant;

  private TrunklineClient(Builder builder) {
    transport = builder.transport != null ? builder.transport : open(builder);
    calls = new Calls(transport);
    codec = builder.codec;
    mapper = builder.mapper;
    tenant = builder.tenant;
  }

  /**
   * A client for <code>TRUNKLINE_URL</code> with <code>TRUNKLINE_API_KEY</code> over <code>TRUNKLINE_TRANSPORT</code>.
   *
   * @return the client
   */
  public static TrunklineClient fromEnvironment() {
    return builder().build();
  }

  /**
   * Starts with the values of the environment.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  private static Transport open(Builder builder) {
    var settings = new TransportFactory.Settings(builder.url, builder.apiKey, builder.timeout, builder.http);
    if (builder.transportName.equals("rest")) {
      return new RestTransport(settings);
    }
    for (TransportFactory factory : ServiceLoader.load(TransportFactory.class)) {
      if (factory.name().equals(builder.transportName)) {
        return factory.open(settings);
      }
    }
    boolean isPlanned = List.of("grpc", "kafka").contains(builder.transportName);
    throw new TrunklineException("TRUNKLINE_TRANSPORT=" + builder.transportName + ": " + (isPlanned
        ? "no transport of this name is on the class path; unset it, or set it to rest"
        : "there is no such transport; unset it, or set it to rest"), null);
  }

  /**
   * The default transport, for transports that use it for some calls.
   *
   * @param settings its settings
   * @return a transport over REST
   */
  public static Transport rest(TransportFactory.Settings settings) {
    return new RestTransport(settings);
  }

  /**
   * Every call of the API.
   *
   * @return the calls
   */
  public Calls calls() {
    return calls;
  }

  /**
   * Enqueues a job. It is stored durably once this returns.
   *
   * @param jobType selects the handler
   * @param data anything that Jackson writes
   * @return the job
   */
  public JobHandle enqueue(String jobType, Object data) {
    return enqueue(jobType, data, EnqueueOptions.none());
  }

  /**
   * Enqueues a job. It is stored durably once this returns.
   *
   * @param jobType selects the handler
   * @param data anything that Jackson writes
   * @param options options
   * @return the job
   */
  public JobHandle enqueue(String jobType, Object data, EnqueueOptions options) {
    Enqueued job = calls.enqueueJob(jobRequest(jobType, data, options), CallOptions.withKey(options.idempotencyKey()));
    return new JobHandle(this, job.id(), Boolean.TRUE.equals(job.existing()));
  }

  /**
   * One job of a batch.
   *
   * @param jobType selects the handler
   * @param data anything that Jackson writes
   * @param options options, without an idempotency key
   */
  public record BatchItem(String jobType, Object data, EnqueueOptions options) {}

  /**
   * The result of one job of a batch.
   *
   * @param job the job; null if it was rejected
   * @param problem why it was rejected; null otherwise
   */
  public record BatchResult(JobHandle job, Problem problem) {}

  /**
   * Enqueues many jobs in one commit.
   *
   * @param items the jobs
   * @param isPartial whether valid jobs are accepted even if others are invalid; otherwise it is all or nothing
   * @return one result for each
   */
  public List<BatchResult> enqueueBatch(List<BatchItem> items, boolean isPartial) {
    List<JobRequest> jobs = items.stream().map(item -> jobRequest(item.jobType(), item.data(), item.options())).toList();
    var answer = calls.enqueueJobs(new JobBatch(jobs, isPartial), CallOptions.DEFAULT);
    return answer.results().stream().map(this::batchResult).toList();
  }

  private BatchResult batchResult(BatchResultEnqueued result) {
    JobHandle job = result.id() == null ? null : new JobHandle(this, result.id(), Boolean.TRUE.equals(result.existing()));
    return new BatchResult(job, result.error());
  }

  /**
   * An existing job.
   *
   * @param id its id
   * @return the job
   */
  public JobHandle job(String id) {
    return new JobHandle(this, id, true);
  }

  /**
   * Starts a workflow. It is stored durably once this returns.
   *
   * @param workflow its name
   * @param input anything that Jackson writes; null is an empty object
   * @return the run
   */
  public RunHandle start(String workflow, Object input) {
    return start(workflow, input, StartOptions.none());
  }

  /**
   * Starts a workflow. It is stored durably once this returns.
   *
   * @param workflow its name
   * @param input anything that Jackson writes; null is an empty object
   * @param options options
   * @return the run
   */
  public RunHandle start(String workflow, Object input, StartOptions options) {
    JsonNode json = input == null ? null : mapper.valueToTree(input);
    var body = options.request(workflow, json, tenant);
    JsonNode created = calls.startExecution(body, Map.of(), CallOptions.withKey(options.idempotencyKey()));
    return run(created.path("id").asText());
  }

  /**
   * An existing run.
   *
   * @param id its id
   * @return the run
   */
  public RunHandle run(String id) {
    return new RunHandle(this, id);
  }

  /**
   * Registers a version of a workflow; the same content again changes nothing.
   *
   * @param definition a {@link WorkflowBuilder}, or anything that Jackson writes as a definition
   * @return name and version
   */
  public RegisteredWorkflow push(Object definition) {
    Object json = definition instanceof WorkflowBuilder builder ? builder.definition() : definition;
    return calls.registerWorkflow(mapper.valueToTree(json), Map.of(), CallOptions.DEFAULT);
  }

  /**
   * Schedules.
   *
   * @return the verbs
   */
  public Schedules schedules() {
    return new Schedules(calls);
  }

  /**
   * Dead letters.
   *
   * @return the verbs
   */
  public DeadLetters deadLetters() {
    return new DeadLetters(calls, mapper);
  }

  /**
   * Follows the changes of the server; each signals that a resource should be read again.
   *
   * @param opened called once the stream is open
   * @param each called for each change, one after another
   * @param failed called once if the server rejects the stream
   * @return a handle that ends it
   */
  public Transport.Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    return transport.events(opened, each, failed);
  }

  private JobRequest jobRequest(String jobType, Object data, EnqueueOptions options) {
    JsonNode json = data instanceof JsonNode node ? node : mapper.valueToTree(data);
    return options.request(jobType, codec.encode(json, new PayloadCodec.Payload(false, jobType)), tenant);
  }

  <T> T convert(JsonNode json, TypeReference<T> type) {
    return mapper.convertValue(json, type);
  }

  Transport transport() {
    return transport;
  }

  PayloadCodec codec() {
    return codec;
  }

  ObjectMapper mapper() {
    return mapper;
  }

  String tenant() {
    return tenant;
  }

  @Override
  public void close() {
    transport.close();
  }

  /** Builds a client. Unset values come from the environment or the defaults. */
  public static final class Builder {
    private String url = env("TRUNKLINE_URL", "http://127.0.0.1:8080");
    private String apiKey = env("TRUNKLINE_API_KEY", null);
    private String transportName = env("TRUNKLINE_TRANSPORT", "rest");
    private String tenant;
    private Transport transport;
    private PayloadCodec codec = PayloadCodec.PLAIN;
    private ObjectMapper mapper = Json.shared();
    private Duration timeout = Duration.ofSeconds(30);
    private HttpClient http;

    private Builder() {}

    private static String env(String name, String otherwise) {
      String value = System.getenv(name);
      return value == null || value.isEmpty() ? otherwise : value;
    }

    /**
     * The server.
     *
     * @param value such as <code>http://127.0.0.1:8080</code>
     * @return this builder
     */
    public Builder url(String value) {
      url = value;
      return this;
    }

    /**
     * The API key.
     *
     * @param value the key
     * @return this builder
     */
    public Builder apiKey(String value) {
      apiKey = value;
      return this;
    }

    /**
     * For keys that are not bound to a tenant: the tenant of created jobs and runs.
     *
     * @param value the tenant
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * A transport by its name.
     *
     * @param name such as <code>rest</code>
     * @return this builder
     */
    public Builder transport(String name) {
      transportName = name;
      return this;
    }

    /**
     * A custom transport.
     *
     * @param value the transport
     * @return this builder
     */
    public Builder transport(Transport value) {
      transport = value;
      return this;
    }

    /**
     * The codec of data and results.
     *
     * @param value the codec
     * @return this builder
     */
    public Builder codec(PayloadCodec value) {
      codec = value;
      return this;
    }

    /**
     * The mapper of the program's types; start with {@link Json#mapper}.
     *
     * @param value the mapper
     * @return this builder
     */
    public Builder mapper(ObjectMapper value) {
      mapper = value;
      return this;
    }

    /**
     * Timeout of a call, including retries (default: 30 s).
     *
     * @param value the bound
     * @return this builder
     */
    public Builder timeout(Duration value) {
      timeout = value;
      return this;
    }

    /**
     * The HTTP client of REST, for example for custom certificates.
     *
     * @param value the client
     * @return this builder
     */
    public Builder httpClient(HttpClient value) {
      http = value;
      return this;
    }

    /**
     * The client.
     *
     * @return a new one
     */
    public TrunklineClient build() {
      return new TrunklineClient(this);
    }
  }
}
