package dev.trunkline.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * What was received of each partition. A message is over once its job is settled, given back or not this worker's; only what
 * lies before the first message that is not over may be committed.
 */
final class Offsets {
  private static final class Known {
    private final TreeSet<Long> open = new TreeSet<>();
    private long next;
    private long committed = -1;
  }

  private final Map<Place, Known> partitions = new HashMap<>();

  void received(Place place, long offset) {
    Known known = partitions.computeIfAbsent(place, any -> new Known());
    known.open.add(offset);
    known.next = Math.max(known.next, offset + 1);
  }

  boolean has(Place place, long offset) {
    Known known = partitions.get(place);
    return known != null && known.open.contains(offset);
  }

  /** Of a partition that was taken away, nothing is known any more. */
  void over(Place place, long offset) {
    Known known = partitions.get(place);
    if (known != null) {
      known.open.remove(offset);
    }
  }

  void forget(Collection<Place> places) {
    places.forEach(partitions::remove);
  }

  /** What to commit of the partitions where that has moved. */
  Map<Place, Long> toCommit() {
    Map<Place, Long> moved = new HashMap<>();
    partitions.forEach((place, known) -> {
      long offset = known.open.isEmpty() ? known.next : known.open.first();
      if (offset > known.committed) {
        moved.put(place, offset);
      }
    });
    return moved;
  }

  void committed(Map<Place, Long> offsets) {
    offsets.forEach((place, offset) -> {
      Known known = partitions.get(place);
      if (known != null) {
        known.committed = offset;
      }
    });
  }
}
