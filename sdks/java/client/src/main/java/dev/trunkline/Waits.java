package dev.trunkline;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** Asks until something ended. */
final class Waits {
  // How long one question to the server may be held, and how much longer its answer may take.
  private static final Duration HELD_MAX = Duration.ofSeconds(20);
  static final Duration GRACE = Duration.ofSeconds(10);

  private Waits() {}

  /** Asks with growing pauses where the server does not hold the answer; the argument is how long it may be held. */
  static <T> T untilEnded(String what, Duration timeout, Function<Duration, Optional<T>> read) {
    long ends = System.nanoTime() + timeout.toNanos();
    for (int round = 0; ; round++) {
      long asked = System.nanoTime();
      Duration left = Duration.ofNanos(Math.max(1_000_000, ends - asked));
      Optional<T> found = read.apply(left.compareTo(HELD_MAX) < 0 ? left : HELD_MAX);
      if (found.isPresent()) {
        return found.get();
      }
      long now = System.nanoTime();
      if (now >= ends) {
        throw new CallTimeout(what + " has not ended within " + timeout.toMillis() + " ms", null);
      }
      if (now - asked < 1_000_000_000L) {
        Duration pause = Backoffs.exponential(Math.min(round, 4), ThreadLocalRandom.current().nextDouble());
        Sleep.orCancelled(pause.toNanos() < ends - now ? pause : Duration.ofNanos(ends - now));
      }
    }
  }
}
