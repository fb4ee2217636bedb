package dev.trunkline;

/** A call, or a wait for a job or a run, timed out. The job or run continues. */
public final class CallTimeout extends TrunklineException {
  /**
   * One with a cause.
   *
   * @param message what happened
   * @param cause why; may be null
   */
  public CallTimeout(String message, Throwable cause) {
    super(message, cause);
  }
}
