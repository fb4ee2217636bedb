package dev.trunkline;

import dev.trunkline.model.ExecutionError;
import dev.trunkline.model.ExecutionStatus;

/** The run failed or was cancelled. */
public final class RunFailed extends TrunklineException {
  private final String runId;
  private final ExecutionStatus status;
  private final transient ExecutionError error;

  /**
   * One of a run.
   *
   * @param runId the run
   * @param status how it ended
   * @param error why; may be null
   */
  public RunFailed(String runId, ExecutionStatus status, ExecutionError error) {
    super("run " + runId + " is " + status + (error == null ? "" : ": " + error.message()), null);
    this.runId = runId;
    this.status = status;
    this.error = error;
  }

  /**
   * The run.
   *
   * @return its id
   */
  public String runId() {
    return runId;
  }

  /**
   * How it ended.
   *
   * @return the status
   */
  public ExecutionStatus status() {
    return status;
  }

  /**
   * The code of its error, <code>cancelled</code> for a run that was cancelled; may be null.
   *
   * @return the code
   */
  public String code() {
    if (error != null && error.code() != null) {
      return error.code();
    }
    return status == ExecutionStatus.CANCELLED ? "cancelled" : null;
  }
}
