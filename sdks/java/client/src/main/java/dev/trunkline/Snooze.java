package dev.trunkline;

import java.time.Duration;

/** Thrown by a handler: the job goes back for this long, and it costs no attempt. */
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
