package dev.trunkline;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.model.Job;
import dev.trunkline.model.JobStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A handle of a job. */
public final class JobHandle {
  private static final Set<JobStatus> ENDS = EnumSet.of(JobStatus.COMPLETED, JobStatus.DEAD_LETTER, JobStatus.CANCELLED);
  private final TrunklineClient client;
  private final String id;
  private final boolean existing;

  JobHandle(TrunklineClient client, String id, boolean existing) {
    this.client = client;
    this.id = id;
    this.existing = existing;
  }

  /**
   * The job.
   *
   * @return its id
   */
  public String id() {
    return id;
  }

  /**
   * Whether the job existed before the enqueue that returned this handle.
   *
   * @return whether it existed
   */
  public boolean isExisting() {
    return existing;
  }

  /**
   * The current state of the job, with its attempts.
   *
   * @return the job
   */
  public Job get() {
    return read(Map.of(), CallOptions.DEFAULT);
  }

  /** Cancels the job; its handler is interrupted with the next heartbeat. */
  public void cancel() {
    client.calls().cancelJob(id, CallOptions.DEFAULT);
  }

  /**
   * Waits for the result.
   *
   * @param timeout how long
   * @param type of the result
   * @param <T> of the result
   * @return the result; may be null
   * @throws JobFailed once the job is a dead letter or cancelled
   * @throws CallTimeout after the timeout; the job continues
   */
  public <T> T await(Duration timeout, Class<T> type) {
    return client.mapper().convertValue(await(timeout), type);
  }

  /**
   * Waits for the result.
   *
   * @param timeout how long
   * @param type of the result
   * @param <T> of the result
   * @return the result; may be null
   */
  public <T> T await(Duration timeout, TypeReference<T> type) {
    return client.convert(await(timeout), type);
  }

  /**
   * Waits for the result as JSON.
   *
   * @param timeout how long
   * @return the result
   */
  public JsonNode await(Duration timeout) {
    Job job = Waits.untilEnded("job " + id, timeout, held -> {
      Map<String, ?> query = Map.of("wait", true, "timeout", Durations.text(held));
      return Optional.of(read(query, CallOptions.within(held.plus(Waits.GRACE)))).filter(j -> ENDS.contains(j.status()));
    });
    if (job.status() != JobStatus.COMPLETED) {
      throw new JobFailed(id, job.status(), job.error());
    }
    JsonNode result = job.result() == null ? NullNode.getInstance() : job.result();
    return client.codec().decode(result, new PayloadCodec.Payload(true, job.jobType()));
  }

  private Job read(Map<String, ?> query, CallOptions options) {
    var request = new Request("getJob", "GET", "/v1/jobs/" + Request.escape(id), query, null, false);
    return client.transport().call(request, new TypeReference<Job>() {}, options);
  }
}
