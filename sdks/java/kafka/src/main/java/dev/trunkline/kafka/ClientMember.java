package dev.trunkline.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member over kafka-clients. */
final class ClientMember implements Member {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);
  // Nothing that came for so long may mean that no broker is there.
  private static final long PROBE_AFTER_NANOS = Duration.ofSeconds(15).toNanos();

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<String> topics;
  private long heardAt = System.nanoTime();
  private String failure;

  private ClientMember(Properties properties, List<String> topics, Listener listener) {
    this.topics = topics;
    consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    consumer.subscribe(topics, new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        listener.assigned();
      }

      @Override
      public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        listener.revoked(places(partitions), true);
      }

      @Override
      public void onPartitionsLost(Collection<TopicPartition> partitions) {
        listener.revoked(places(partitions), false);
      }
    });
  }

  /** Members with these properties of kafka-clients. */
  static Factory factory(String brokers, Map<String, String> own) {
    return (group, topics, listener) -> {
      Properties properties = new Properties();
      properties.put(ConsumerConfig.CLIENT_ID_CONFIG, "trunkline-java");
      properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
      // Partitions are spread by range in all SDKs, so that a group may have members in several languages.
      properties.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, RangeAssignor.class.getName());
      properties.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, "3000");
      properties.putAll(own);
      properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
      properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
      properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
      properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
      return new ClientMember(properties, topics, listener);
    };
  }

  @Override
  public List<Message> poll(Duration limit) {
    List<Message> messages = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> one : consumer.poll(limit)) {
      Header header = one.headers().lastHeader("tl-job-type");
      String jobType = header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
      messages.add(new Message(new Place(one.topic(), one.partition()), one.offset(), one.value(), jobType));
    }
    if (!messages.isEmpty()) {
      heardAt = System.nanoTime();
      failure = null;
    }
    return messages;
  }

  @Override
  public void pause(String topic, boolean isPaused) {
    List<TopicPartition> ofTopic = consumer.assignment().stream().filter(one -> one.topic().equals(topic)).toList();
    if (isPaused) {
      consumer.pause(ofTopic);
    } else {
      consumer.resume(ofTopic);
    }
  }

  @Override
  public boolean commit(Map<Place, Long> offsets) {
    try {
      consumer.commitSync(offsets.entrySet().stream().collect(Collectors.toMap(
          one -> new TopicPartition(one.getKey().topic(), one.getKey().partition()),
          one -> new OffsetAndMetadata(one.getValue()))), COMMIT_TIMEOUT);
      return true;
    } catch (KafkaException error) {
      return false;
    }
  }

  @Override
  public String failure() {
    if (System.nanoTime() - heardAt < PROBE_AFTER_NANOS) {
      return failure;
    }
    heardAt = System.nanoTime();
    try {
      consumer.listTopics(PROBE_TIMEOUT);
      failure = null;
    } catch (KafkaException error) {
      failure = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }
    return failure;
  }

  @Override
  public void close() {
    consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(CLOSE_TIMEOUT));
  }

  @Override
  public String toString() {
    return "a consumer of " + topics;
  }

  private static List<Place> places(Collection<TopicPartition> partitions) {
    return partitions.stream().map(one -> new Place(one.topic(), one.partition())).toList();
  }
}
