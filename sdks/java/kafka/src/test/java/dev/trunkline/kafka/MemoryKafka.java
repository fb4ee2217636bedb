package dev.trunkline.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Topics of one partition each. Of a group, the last member that came has all of them. */
final class MemoryKafka implements Member.Factory {
  private final Map<String, List<byte[]>> logs = new HashMap<>();
  private final Map<Place, Long> committed = new HashMap<>();
  private One owner;
  private One holder;
  private boolean rebalances;
  private String failure;

  synchronized void publish(String topic, String value) {
    logs.computeIfAbsent(topic, any -> new ArrayList<>()).add(value.getBytes());
  }

  /** Publishes an offer as the relay does. */
  void offer(int number, String tier) {
    publish("trunkline.jobs.add." + tier, """
        {"v": 1, "eventId": "e", "job": {"id": "job_%1$d", "jobType": "add", "tenant": "default", "priority": "%2$s",
         "attempt": 1, "maxRetries": 3, "leaseToken": "offer-%1$d", "idempotencyKey": "k", "data": %1$d}}"""
        .formatted(number, tier));
  }

  synchronized long offset(String topic) {
    return committed.getOrDefault(new Place(topic, 0), 0L);
  }

  /** Whether the owner has paused a topic. */
  synchronized boolean isPaused(String topic) {
    return owner.paused.contains(topic);
  }

  /** The owner is to lose its partitions and to get them back. */
  synchronized void rebalance() {
    rebalances = true;
  }

  synchronized boolean hasRebalanced() {
    return !rebalances;
  }

  synchronized void fail(String reason) {
    failure = reason;
  }

  @Override
  public synchronized Member join(String group, List<String> topics, Member.Listener listener) {
    owner = new One(topics, listener);
    return owner;
  }

  private final class One implements Member {
    private final List<String> topics;
    private final Listener listener;
    private final Set<String> paused = new HashSet<>();
    private final Map<String, Integer> positions = new HashMap<>();

    One(List<String> topics, Listener listener) {
      this.topics = topics;
      this.listener = listener;
    }

    @Override
    public List<Message> poll(Duration limit) {
      rebalance();
      List<Message> found = new ArrayList<>();
      synchronized (MemoryKafka.this) {
        positions.replaceAll((topic, position) -> {
          List<byte[]> log = logs.getOrDefault(topic, List.of());
          int until = paused.contains(topic) ? position : Math.min(log.size(), position + 10);
          for (int at = position; at < until; at++) {
            found.add(new Message(new Place(topic, 0), at, log.get(at), null));
          }
          return until;
        });
        if (found.isEmpty()) {
          try {
            MemoryKafka.this.wait(5);
          } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
          }
        }
      }
      return found;
    }

    private void rebalance() {
      boolean isLeaving;
      synchronized (MemoryKafka.this) {
        isLeaving = holder == this && (owner != this || rebalances);
      }
      if (isLeaving) {
        listener.revoked(topics.stream().map(topic -> new Place(topic, 0)).toList(), true);
        positions.clear();
      }
      synchronized (MemoryKafka.this) {
        if (isLeaving) {
          holder = null;
          rebalances = false;
        }
        // Once the one before has given them up.
        if (owner != this || holder != null) {
          return;
        }
        holder = this;
        topics.forEach(topic -> positions.put(topic, (int) offset(topic)));
      }
      listener.assigned();
    }

    @Override
    public void pause(String topic, boolean isPaused) {
      synchronized (MemoryKafka.this) {
        // Of what is assigned; it stays so when partitions go and come back.
        if (holder != this) {
          return;
        }
        if (isPaused) {
          paused.add(topic);
        } else {
          paused.remove(topic);
        }
      }
    }

    @Override
    public boolean commit(Map<Place, Long> offsets) {
      synchronized (MemoryKafka.this) {
        committed.putAll(offsets);
        return true;
      }
    }

    @Override
    public String failure() {
      synchronized (MemoryKafka.this) {
        return failure;
      }
    }

    @Override
    public void close() {
      synchronized (MemoryKafka.this) {
        holder = holder == this ? null : holder;
      }
    }
  }

}
