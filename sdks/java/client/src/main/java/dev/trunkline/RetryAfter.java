package dev.trunkline;

import java.time.Duration;

/** Thrown by a handler: the next attempt starts after this delay, instead of the backoff. It consumes an attempt. */
public final class RetryAfter extends TrunklineException {
  private final Duration delay;

  /**
   * One with a plain message.
   *
   * @param delay the wait
   */
  public RetryAfter(Duration delay) {
    this(delay, "to be tried again later", null);
  }

  /**
   * One with a reason.
   *
   * @param delay the wait
   * @param message for people
   * @param cause why; may be null
   */
  public RetryAfter(Duration delay, String message, Throwable cause) {
    super(message, cause);
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
