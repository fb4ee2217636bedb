package dev.trunkline;

import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Makes calls again, within their time, where that is safe and may help. It is for transports. */
public final class Repeats {
  // A server that refuses connections is given up after about six seconds, one that is only busy when the time is up.
  private static final int CONNECTION_TRIES_MAX = 6;

  private Repeats() {}

  /**
   * A call that is made once.
   *
   * @param <T> of the answer
   */
  @FunctionalInterface
  public interface Once<T> {
    /**
     * Makes it.
     *
     * @param key the idempotency key; null where the call takes none
     * @param nanos how long it may take
     * @return the answer
     */
    T call(String key, long nanos);
  }

  /**
   * Makes a call.
   *
   * @param request what is called
   * @param options how
   * @param limit how long it may take with its repetitions, where the options do not say
   * @param once makes it once
   * @param <T> of the answer
   * @return the answer
   */
  public static <T> T call(Request request, CallOptions options, Duration limit, Once<T> once) {
    long ends = System.nanoTime() + (options.timeout() == null ? limit : options.timeout()).toNanos();
    // The same key for all tries makes them one call for the server.
    String given = options.idempotencyKey();
    String key = !request.keyed() ? null : given != null ? given : UUID.randomUUID().toString();
    for (int attempt = 0; ; attempt++) {
      try {
        return once.call(key, ends - System.nanoTime());
      } catch (TrunklineException error) {
        if (!options.retry() || !mayRepeat(request, error, attempt)) {
          throw error;
        }
        Duration delay = Backoffs.before(error, attempt, ThreadLocalRandom.current().nextDouble());
        if (System.nanoTime() + delay.toNanos() >= ends) {
          throw error;
        }
        Sleep.orCancelled(delay);
      }
    }
  }

  /** Reports carry a lease token, and calls with a key are recognised: both may be repeated after a broken connection. */
  private static boolean mayRepeat(Request request, TrunklineException error, int attempt) {
    if (!Backoffs.isTransient(error)) {
      return false;
    }
    if (!(error instanceof ConnectionException)) {
      return true;
    }
    boolean isSafe = request.method().equals("GET") || request.keyed() || request.path().startsWith("/v1/jobs/");
    return isSafe && attempt + 1 < CONNECTION_TRIES_MAX;
  }
}
