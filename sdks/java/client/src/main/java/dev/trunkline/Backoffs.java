package dev.trunkline;

import java.time.Duration;

/** How long to wait before a call is made again. Pure: randomness is an argument. */
final class Backoffs {
  private Backoffs() {}

  /** Exponential from 100 ms to 5 s, spread over the upper half; {@code attempt} counts from 0, {@code random} is from 0 to 1. */
  static Duration exponential(int attempt, double random) {
    long ceiling = Math.min(5_000, 100L << Math.min(attempt, 16));
    return Duration.ofMillis((long) (ceiling * (0.5 + random / 2)));
  }

  /** At least what the server asked for, spread by up to a quarter or 100 ms, else exponential. */
  static Duration before(Throwable error, int attempt, double random) {
    if (error instanceof ProblemException problem && problem.retryAfter().isPresent()) {
      long asked = problem.retryAfter().get().toMillis();
      return Duration.ofMillis(asked + (long) (random * Math.max(100, asked / 4)));
    }
    return exponential(attempt, random);
  }

  /** Whether the server may answer otherwise if it is asked again. */
  static boolean isTransient(Throwable error) {
    if (error instanceof ConnectionException) {
      return true;
    }
    return error instanceof ProblemException problem && switch (problem.status()) {
      case 429, 502, 503, 504 -> true;
      // A call with the same idempotency key is still under way.
      case 409 -> problem.retryAfter().isPresent();
      default -> false;
    };
  }
}
