package dev.trunkline.kafka;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the topics of one job type in a thread of its own: fills buffers, pauses what is not wanted, and commits what is over.
 * Buffers and offsets are guarded by the lock of the delivery, which is notified of whatever comes.
 */
final class Reader implements Member.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Reader.class);
  private static final Duration POLL_LIMIT = Duration.ofMillis(100);
  // While nothing is to be read, polls only keep the member in its group.
  private static final Duration PAUSED_LIMIT = Duration.ofMillis(20);
  private static final long COMMIT_EVERY_NANOS = Duration.ofMillis(500).toNanos();
  private static final long FAILED_PAUSE_MS = 1_000;

  /** An offer that was received. */
  record Offer(Reader reader, Place place, long offset, int tier, ObjectNode job) {
    String text(String field) {
      return job.path(field).asText();
    }
  }

  private final String jobType;
  private final List<String> topics;
  private final int room;
  private final Object lock;
  private final Member member;
  private final Thread thread;
  private final List<Deque<Offer>> buffers = new ArrayList<>();
  private final Offsets offsets = new Offsets();
  // Whether each tier is paused, as last asked of the member; nothing where that is unknown.
  private final Map<Integer, Boolean> paused = new HashMap<>();
  private String failure;
  private long committedAt = System.nanoTime();
  private volatile boolean isClosed;

  Reader(String jobType, String group, List<String> topics, int room, Object lock, Member.Factory members) {
    this.jobType = jobType;
    this.topics = topics;
    this.room = room;
    this.lock = lock;
    topics.forEach(topic -> buffers.add(new ArrayDeque<>()));
    member = members.join(group, topics, this);
    thread = new Thread(this::run, "trunkline-kafka-" + jobType);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Leaves the group soon, after what is over is committed. What was not begun is its next owner's. */
  void close() {
    isClosed = true;
  }

  void awaitClosed(Duration limit) throws InterruptedException {
    thread.join(Math.max(1, limit.toMillis()));
  }

  /** Why no broker is reached; null where one is. Called under the lock. */
  String failure() {
    return failure;
  }

  /** The next offer of a tier; null where there is none. Called under the lock. */
  Offer take(int tier) {
    return buffers.get(tier).pollFirst();
  }

  /** It could not be accepted now. One whose partition was taken away is its next owner's. Called under the lock. */
  void putBack(Offer offer) {
    if (offsets.has(offer.place(), offer.offset())) {
      buffers.get(offer.tier()).addFirst(offer);
    }
  }

  /** The job is settled, given back, or another's. Called under the lock. */
  void over(Offer offer) {
    offsets.over(offer.place(), offer.offset());
  }

  /** Partitions that an assignor leaves with their owner stay as they are, which may be paused. */
  @Override
  public void assigned() {
    paused.clear();
  }

  /** What is buffered of these partitions was not begun: the next owner reads it again, and no attempt is lost. */
  @Override
  public void revoked(Collection<Place> places, boolean isOwner) {
    if (isOwner) {
      commit();
    }
    synchronized (lock) {
      offsets.forget(places);
      buffers.forEach(buffer -> buffer.removeIf(offer -> places.contains(offer.place())));
    }
  }

  private void run() {
    try (member) {
      while (!isClosed) {
        try {
          turn();
        } catch (RuntimeException error) {
          // Whatever a broker or a message brings, the reader goes on.
          LOG.warn("reading the jobs of {} failed: {}", jobType, error.toString());
          fail(error.toString());
          Thread.sleep(FAILED_PAUSE_MS);
        }
      }
      commit();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  private void turn() {
    boolean isFull = adjust();
    List<Member.Message> messages = member.poll(isFull ? PAUSED_LIMIT : POLL_LIMIT);
    fail(member.failure());
    if (!messages.isEmpty()) {
      synchronized (lock) {
        messages.forEach(this::receive);
        lock.notifyAll();
      }
    }
    if (System.nanoTime() - committedAt >= COMMIT_EVERY_NANOS) {
      commit();
    }
  }

  /** Pauses the lower tiers while a higher one has messages, and all while the buffers are full, which it answers. */
  private boolean adjust() {
    int total = 0;
    int highest = topics.size();
    synchronized (lock) {
      for (int tier = topics.size() - 1; tier >= 0; tier--) {
        total += buffers.get(tier).size();
        highest = buffers.get(tier).isEmpty() ? highest : tier;
      }
    }
    // Below half of the room it reads on, so that it does not pause and resume with each message.
    boolean isFull = total >= room || paused.getOrDefault(0, false) && total > room / 2;
    for (int tier = 0; tier < topics.size(); tier++) {
      boolean isPaused = isFull || tier > highest;
      if (!Objects.equals(paused.put(tier, isPaused), isPaused)) {
        member.pause(topics.get(tier), isPaused);
      }
    }
    return isFull;
  }

  private void receive(Member.Message message) {
    offsets.received(message.place(), message.offset());
    ObjectNode job = job(message);
    if (job == null) {
      offsets.over(message.place(), message.offset());
      return;
    }
    int tier = topics.indexOf(message.place().topic());
    buffers.get(tier).addLast(new Offer(this, message.place(), message.offset(), tier, job));
  }

  /** The job of a message; null where it is another type's, or no offer at all. */
  private ObjectNode job(Member.Message message) {
    if (message.jobType() != null && !message.jobType().equals(jobType)) {
      return null;
    }
    try {
      ObjectNode job = Envelope.job(message.value());
      boolean isOffer = job.path("id").isTextual() && job.path("leaseToken").isTextual()
          && job.path("jobType").asText().equals(jobType);
      if (isOffer) {
        return job;
      }
    } catch (IOException error) {
      LOG.debug("a message cannot be read", error);
    }
    // If it was one, it returns after a while.
    LOG.error("a message in {} is no offer", message.place());
    return null;
  }

  private void fail(String reason) {
    synchronized (lock) {
      boolean hasChanged = (reason == null) != (failure == null);
      failure = reason;
      if (hasChanged) {
        lock.notifyAll();
      }
    }
  }

  private void commit() {
    committedAt = System.nanoTime();
    Map<Place, Long> wanted;
    synchronized (lock) {
      wanted = offsets.toCommit();
    }
    if (!wanted.isEmpty() && member.commit(wanted)) {
      synchronized (lock) {
        offsets.committed(wanted);
      }
    }
  }
}
