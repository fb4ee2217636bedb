package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.JobChannel.Kind;
import dev.trunkline.JobChannel.LeasedJob;
import dev.trunkline.JobChannel.Report;
import dev.trunkline.model.JobError;

/** What is reported of an attempt; {@code kind} is null where the lease is gone. */
record Outcome(Kind kind, JsonNode result, JobError error, Boolean retryable, String retryAfter, String delay) {
  private static final Outcome NONE = new Outcome(null, null, null, null, null, null);

  static Outcome complete(JsonNode result) {
    return new Outcome(Kind.COMPLETE, result, null, null, null, null);
  }

  static Outcome release(String delay) {
    return new Outcome(Kind.RELEASE, null, null, null, null, delay);
  }

  private static Outcome fail(JobError error, Boolean retryable, String retryAfter) {
    return new Outcome(Kind.FAIL, null, error, retryable, retryAfter, null);
  }

  /** What becomes of a job whose handler threw; {@code reason} is why it was cancelled, null where it was not. */
  static Outcome of(Throwable thrown, Cancelled.Reason reason) {
    if (reason == Cancelled.Reason.DRAINING) {
      return release(null);
    }
    if (reason != null) {
      // At its deadline the server ends the attempt itself, and counts it as one that took too long.
      return NONE;
    }
    if (thrown instanceof Snooze snooze) {
      return release(Durations.text(snooze.delay()));
    }
    if (thrown instanceof NonRetryable) {
      return fail(error(thrown), false, null);
    }
    if (thrown instanceof RetryAfter later) {
      return fail(error(thrown), null, Durations.text(later.delay()));
    }
    if (thrown instanceof Cancelled) {
      return fail(new JobError("cancelled", null, thrown.getMessage()), false, null);
    }
    return fail(error(thrown), null, null);
  }

  /** The failure of a job whose result the server does not take. */
  static Outcome refused(String reason) {
    return fail(new JobError("result_refused", null, "the server refused the result: " + reason), false, null);
  }

  private static JobError error(Throwable thrown) {
    String message = thrown.getMessage() == null ? thrown.getClass().getName() : thrown.getMessage();
    String code = thrown instanceof Coded coded ? coded.code() : null;
    boolean isOurs = thrown instanceof TrunklineException;
    JsonNode details = isOurs ? null : Json.shared().createObjectNode().put("type", thrown.getClass().getName());
    return new JobError(code, details, message);
  }

  Report report(LeasedJob job) {
    return new Report(job.id(), job.leaseToken(), result, error, retryable, retryAfter, delay);
  }
}
