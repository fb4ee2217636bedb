package dev.trunkline;

/** A call, or a wait for a job or a run, took longer than it might. What was waited for goes on. */
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
