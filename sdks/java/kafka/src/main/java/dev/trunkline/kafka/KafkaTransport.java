package dev.trunkline.kafka;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trunkline.Durations;
import dev.trunkline.Json;
import dev.trunkline.TrunklineClient;
import dev.trunkline.TrunklineException;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.api.TransportFactory;
import dev.trunkline.model.ChangeEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Takes jobs that the server publishes to Kafka (<code>dispatch.mode = "kafka_outbox"</code>); reports and all else go over REST.
 * A message is committed once its job is settled or given back, and duplicates do not run.
 */
public final class KafkaTransport implements Transport {
  // A reader buffers at most so many times what its worker asked for, and at least so many messages.
  private static final int ROOM_FACTOR = 2;
  private static final int ROOM_MIN = 16;
  private static final Set<String> REPORTS = Set.of("completeJobs", "failJobs", "releaseJobs", "heartbeatJobs");

  /**
   * Where jobs come from.
   *
   * @param brokers addresses as host:port, separated by commas
   * @param topicPrefix the server's <code>kafka.topic_prefix</code>
   * @param isSingle whether the server has <code>kafka.topics = "single"</code>
   * @param group what names of consumer groups begin with: that of a job type is GROUP.JOB_TYPE
   * @param properties those of kafka-clients, such as <code>security.protocol</code>; they may hold passwords
   */
  public record Options(String brokers, String topicPrefix, boolean isSingle, String group, Map<String, String> properties) {
    /**
     * What holds where the server says nothing else.
     *
     * @param brokers addresses as host:port, separated by commas
     * @return the options
     */
    public static Options of(String brokers) {
      return new Options(brokers, "trunkline", false, "trunkline", Map.of());
    }

    @Override
    public String toString() {
      return "Options[brokers=" + brokers + "]";
    }
  }

  private final ObjectMapper mapper = Json.mapper();
  private final Transport rest;
  private final Options options;
  private final Member.Factory members;
  private final Map<String, Delivery> deliveries = new HashMap<>();

  /**
   * A transport for a server.
   *
   * @param settings of the server
   * @param options of Kafka
   */
  public KafkaTransport(TransportFactory.Settings settings, Options options) {
    this(TrunklineClient.rest(settings), options, ClientMember.factory(options.brokers(), options.properties()));
  }

  KafkaTransport(Transport rest, Options options, Member.Factory members) {
    this.rest = rest;
    this.options = options;
    this.members = members;
  }

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public <T> T call(Request request, TypeReference<T> type, CallOptions how) {
    if (request.name().equals("pollJobs")) {
      return mapper.convertValue(Map.of("jobs", poll(mapper.valueToTree(request.body()))), type);
    }
    if (!REPORTS.contains(request.name())) {
      return rest.call(request, type, how);
    }
    JsonNode sent = mapper.<JsonNode>valueToTree(request.body()).path("jobs");
    JsonNode answer = rest.call(request, new TypeReference<JsonNode>() {}, how);
    List<Delivery> all;
    synchronized (deliveries) {
      all = List.copyOf(deliveries.values());
    }
    all.forEach(one -> one.reported(sent, answer.path("results"), request.name().equals("heartbeatJobs")));
    return mapper.convertValue(answer, type);
  }

  private List<? extends JsonNode> poll(JsonNode asked) {
    int jobsMax = asked.path("maxJobs").asInt(1);
    Duration wait = asked.hasNonNull("wait") ? Durations.parse(asked.get("wait").asText()) : Duration.ZERO;
    return delivery(asked, jobsMax).poll(jobsMax, wait);
  }

  private Delivery delivery(JsonNode asked, int jobsMax) {
    String workerId = asked.path("workerId").asText();
    synchronized (deliveries) {
      Delivery known = deliveries.get(workerId);
      if (known != null) {
        return known;
      }
      Delivery made = new Delivery(rest, workerId);
      int room = Math.max(ROOM_MIN, ROOM_FACTOR * jobsMax);
      for (JsonNode one : asked.path("jobTypes")) {
        String jobType = one.asText();
        List<String> topics = Topics.of(options.topicPrefix(), jobType, options.isSingle());
        try {
          made.add(new Reader(jobType, options.group() + "." + jobType, topics, room, made, members));
        } catch (org.apache.kafka.common.KafkaException error) {
          made.close();
          throw new TrunklineException("the consumer of Kafka: " + error.getMessage(), error);
        }
      }
      deliveries.put(workerId, made);
      return made;
    }
  }

  @Override
  public Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    return rest.events(opened, each, failed);
  }

  @Override
  public void endDelivery(String workerId) {
    Delivery delivery;
    synchronized (deliveries) {
      delivery = deliveries.remove(workerId);
    }
    if (delivery != null) {
      delivery.close();
    }
  }

  @Override
  public void close() {
    List<String> all;
    synchronized (deliveries) {
      all = List.copyOf(deliveries.keySet());
    }
    all.forEach(this::endDelivery);
    rest.close();
  }
}
