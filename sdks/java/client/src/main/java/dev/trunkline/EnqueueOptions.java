package dev.trunkline;

import dev.trunkline.model.JobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** Options of a job. */
public final class EnqueueOptions {
  private final JobRequest.Builder request = JobRequest.builder();
  private String idempotencyKey;
  private String tenant;
  private String traceparent;

  private EnqueueOptions() {}

  /**
   * No options.
   *
   * @return the options
   */
  public static EnqueueOptions none() {
    return new EnqueueOptions();
  }

  private EnqueueOptions with(Consumer<JobRequest.Builder> change) {
    change.accept(request);
    return this;
  }

  /**
   * Sets the priority.
   *
   * @param priority default <code>normal</code>
   * @return these options
   */
  public EnqueueOptions priority(dev.trunkline.model.Priority priority) {
    return with(r -> r.priority(priority));
  }

  /**
   * Delay before the earliest start.
   *
   * @param delay the wait
   * @return these options
   */
  public EnqueueOptions delay(Duration delay) {
    return with(r -> r.delay(Durations.text(delay)));
  }

  /**
   * Earliest start time.
   *
   * @param instant not together with a delay
   * @return these options
   */
  public EnqueueOptions runAt(Instant instant) {
    return with(r -> r.runAt(instant));
  }

  /**
   * At most one unfinished job has this key: a second enqueue returns the first job.
   *
   * @param key any text
   * @return these options
   */
  public EnqueueOptions uniqueKey(String key) {
    return with(r -> r.uniqueKey(key));
  }

  /**
   * At most one job with this key runs at a time.
   *
   * @param key any text
   * @return these options
   */
  public EnqueueOptions concurrencyKey(String key) {
    return with(r -> r.concurrencyKey(key));
  }

  /**
   * Maximum number of retries after a failure.
   *
   * @param retries from 0
   * @return these options
   */
  public EnqueueOptions maxRetries(int retries) {
    return with(r -> r.maxRetries(retries));
  }

  /**
   * The delays between attempts.
   *
   * @param backoff the waits
   * @return these options
   */
  public EnqueueOptions backoff(dev.trunkline.model.Backoff backoff) {
    return with(r -> r.backoff(backoff));
  }

  /**
   * Timeout of an attempt.
   *
   * @param timeout the bound
   * @return these options
   */
  public EnqueueOptions timeout(Duration timeout) {
    return with(r -> r.timeout(Durations.text(timeout)));
  }

  /**
   * Tags for filtering.
   *
   * @param tags the words
   * @return these options
   */
  public EnqueueOptions tags(List<String> tags) {
    return with(r -> r.tags(tags));
  }

  /**
   * Overrides the client's tenant.
   *
   * @param name the tenant
   * @return these options
   */
  public EnqueueOptions tenant(String name) {
    tenant = name;
    return this;
  }

  /**
   * W3C trace context (default: the context of the surrounding handler).
   *
   * @param value the header's value
   * @return these options
   */
  public EnqueueOptions traceparent(String value) {
    traceparent = value;
    return this;
  }

  /**
   * Repeated enqueues with the same key create one job (default: random).
   *
   * @param key any text
   * @return these options
   */
  public EnqueueOptions idempotencyKey(String key) {
    idempotencyKey = key;
    return this;
  }

  String idempotencyKey() {
    return idempotencyKey;
  }

  JobRequest request(String jobType, com.fasterxml.jackson.databind.JsonNode data, String tenantOfClient) {
    request.tenant(tenant != null ? tenant : tenantOfClient);
    request.traceparent(traceparent != null ? traceparent : CurrentContext.traceparent());
    return request.jobType(jobType).data(data).build();
  }
}
