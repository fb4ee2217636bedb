package dev.trunkline;

import dev.trunkline.model.JobError;
import dev.trunkline.model.JobStatus;

/** The job became a dead letter or was cancelled. */
public final class JobFailed extends TrunklineException {
  private final String jobId;
  private final JobStatus status;
  private final transient JobError error;

  /**
   * One of a job.
   *
   * @param jobId the job
   * @param status how it ended
   * @param error what its last attempt reported; may be null
   */
  public JobFailed(String jobId, JobStatus status, JobError error) {
    super("job " + jobId + " is " + status + (error == null ? "" : ": " + error.message()), null);
    this.jobId = jobId;
    this.status = status;
    this.error = error;
  }

  /**
   * The job.
   *
   * @return its id
   */
  public String jobId() {
    return jobId;
  }

  /**
   * How it ended.
   *
   * @return the status
   */
  public JobStatus status() {
    return status;
  }

  /**
   * The code of its error, <code>cancelled</code> for a job that was cancelled; may be null.
   *
   * @return the code
   */
  public String code() {
    if (error != null && error.code() != null) {
      return error.code();
    }
    return status == JobStatus.CANCELLED ? "cancelled" : null;
  }
}
