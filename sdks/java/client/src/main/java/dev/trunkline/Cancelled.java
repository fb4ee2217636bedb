package dev.trunkline;

/**
 * Thrown by a handler to stop after it was cancelled. If the handler was not cancelled, the job fails permanently with
 * the code <code>cancelled</code>.
 */
public final class Cancelled extends TrunklineException {
  /** Why a handler was cancelled. */
  public enum Reason {
    /** The job was cancelled, or the thread interrupted by the program itself. */
    CANCELLED,
    /** The lease was lost: another worker may have the job. */
    LEASE_LOST,
    /** The drain timeout of the worker has passed. */
    DRAINING,
    /** The attempt has timed out. */
    DEADLINE
  }

  private final Reason reason;

  /** Creates one without a reason. */
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
