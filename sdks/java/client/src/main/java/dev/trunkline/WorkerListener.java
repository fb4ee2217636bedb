package dev.trunkline;

import java.time.Duration;

/** Hears of everything that metrics could count, in several threads. Its methods must not block. */
public interface WorkerListener {
  /** How an attempt ended. */
  enum Outcome {
    /** It gave a result. */
    COMPLETE,
    /** It failed. */
    FAIL,
    /** It was given back without an attempt. */
    RELEASE,
    /** The lease was lost. */
    LOST
  }

  /**
   * A poll came back.
   *
   * @param jobs how many it gave
   */
  default void polled(int jobs) {}

  /**
   * A poll failed.
   *
   * @param error why
   */
  default void pollFailed(Throwable error) {}

  /**
   * A heartbeat did not get through.
   *
   * @param error why
   */
  default void heartbeatFailed(Throwable error) {}

  /**
   * A handler starts.
   *
   * @param jobType its type
   */
  default void started(String jobType) {}

  /**
   * A handler ended.
   *
   * @param jobType its type
   * @param outcome how
   * @param took how long
   */
  default void finished(String jobType, Outcome outcome, Duration took) {}
}
