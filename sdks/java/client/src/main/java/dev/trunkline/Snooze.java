package dev.trunkline;

import java.time.Duration;

/** Thrown by a handler: the job is released for this time without consuming an attempt. */
public final class Snooze extends TrunklineException {
  private final Duration delay;

  /**
   * One.
   *
   * @param delay how long
   */
  public Snooze(Duration delay) {
    super("snoozed for " + delay, null);
    this.delay = delay;
  }

  /**
   * The wait.
   *
   * @return how long
   */
  public Duration delay() {
    return delay;
  }
}
