package dev.trunkline;

/**
 * What a handler throws to end after it was cancelled. Thrown by a handler that nobody cancelled, it fails the job for good
 * with the code <code>cancelled</code>.
 */
public final class Cancelled extends TrunklineException {
  /** Why a handler was cancelled. */
  public enum Reason {
    /** The job was cancelled, or the thread interrupted by the program itself. */
    CANCELLED,
    /** The lease is gone: another worker may have the job. */
    LEASE_LOST,
    /** The worker's time to drain is up. */
    DRAINING,
    /** The attempt's time is up. */
    DEADLINE
  }

  private final Reason reason;

  /** One without more to say. */
  public Cancelled() {
    this(Reason.CANCELLED);
  }

  /**
   * One with a reason.
   *
   * @param reason why
   */
  public Cancelled(Reason reason) {
    super("cancelled (" + reason + ")", null);
    this.reason = reason;
  }

  /**
   * Why.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}
