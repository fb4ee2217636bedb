package dev.trunkline;

import java.time.Duration;

/** Waiting that an interrupt ends. */
final class Sleep {
  private Sleep() {}

  /** Waits; an interrupt is a {@link Cancelled}. */
  static void orCancelled(Duration wait) {
    try {
      Thread.sleep(wait.toMillis());
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new Cancelled();
    }
  }
}
