package dev.trunkline.api;

import java.time.Duration;

/**
 * How one call is made.
 *
 * @param timeout bounds the call with its repetitions; null is the transport's own
 * @param idempotencyKey makes repetitions of a call safe; null is a random one
 * @param retry whether it is repeated after 429, 503 and broken connections
 */
public record CallOptions(Duration timeout, String idempotencyKey, boolean retry) {
  /** What holds where nothing is said. */
  public static final CallOptions DEFAULT = new CallOptions(null, null, true);

  /**
   * With a bound.
   *
   * @param timeout for the call with its repetitions
   * @return the options
   */
  public static CallOptions within(Duration timeout) {
    return new CallOptions(timeout, null, true);
  }

  /**
   * With an idempotency key.
   *
   * @param key the key; null is a random one
   * @return the options
   */
  public static CallOptions withKey(String key) {
    return new CallOptions(null, key, true);
  }

  /**
   * The same, made once only.
   *
   * @return the options
   */
  public CallOptions once() {
    return new CallOptions(timeout, idempotencyKey, false);
  }
}
