package dev.trunkline.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A member of a consumer group. One thread uses it, but for {@link #wakeUp}. */
interface Member extends AutoCloseable {
  /** A message; jobType is its header <code>tl-job-type</code>, or null. */
  record Message(Place place, long offset, byte[] value, String jobType) {}

  /** What a member reports to, from within {@link #poll}. */
  interface Listener {
    /** Partitions came. Each of them may be paused or not. */
    void assigned();

    /** Partitions go to another after this; isOwner is false where they went already. */
    void revoked(Collection<Place> places, boolean isOwner);
  }

  /** Makes the member of a group for some topics. */
  interface Factory {
    Member join(String group, List<String> topics, Listener listener);
  }

  /** What comes within the time. */
  List<Message> poll(Duration limit);

  /** Stops or goes on reading the partitions of a topic that are assigned. */
  void pause(String topic, boolean isPaused);

  /** Whether the broker has them now. Where not, they may be sent again, or are left to the next owner. */
  boolean commit(Map<Place, Long> offsets);

  /** Why no broker is reached; null where one is. */
  String failure();

  /** Leaves the group. */
  @Override
  void close();
}
