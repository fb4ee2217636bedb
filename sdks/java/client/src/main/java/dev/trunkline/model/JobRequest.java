// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A job to enqueue.
 *
 * @param backoff The waits between tries. May be null.
 * @param concurrencyKey At most one leased job of the tenant has this key. May be null.
 * @param data The payload, carried to the worker as it is; <code>null</code> where absent. May be null.
 * @param delay After which wait it may run. May be null.
 * @param jobType What kind of work it is; chooses the handler.
 * @param maxRetries How often it is tried again after a failure. May be null.
 * @param priority <code>normal</code> where absent. May be null.
 * @param runAt When it may run. Not together with <code>delay</code>. May be null.
 * @param tags Words to find it by. May be null.
 * @param tenant The key's own tenant, or <code>default</code>, where absent. May be null.
 * @param timeout The longest attempt. May be null.
 * @param traceparent W3C trace context, carried to the worker. Goes before the header of that name. May be null.
 * @param uniqueKey At most one unfinished job of the tenant has this key. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobRequest(
    Backoff backoff,
    String concurrencyKey,
    JsonNode data,
    String delay,
    String jobType,
    Integer maxRetries,
    Priority priority,
    Instant runAt,
    List<String> tags,
    String tenant,
    String timeout,
    String traceparent,
    String uniqueKey) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a JobRequest. */
  public static final class Builder {
    private Backoff backoff;
    private String concurrencyKey;
    private JsonNode data;
    private String delay;
    private String jobType;
    private Integer maxRetries;
    private Priority priority;
    private Instant runAt;
    private List<String> tags;
    private String tenant;
    private String timeout;
    private String traceparent;
    private String uniqueKey;

    private Builder() {}

    /**
     * The waits between tries.
     *
     * @param value the value
     * @return this builder
     */
    public Builder backoff(Backoff value) {
      backoff = value;
      return this;
    }

    /**
     * At most one leased job of the tenant has this key.
     *
     * @param value the value
     * @return this builder
     */
    public Builder concurrencyKey(String value) {
      concurrencyKey = value;
      return this;
    }

    /**
     * The payload, carried to the worker as it is; <code>null</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * After which wait it may run.
     *
     * @param value the value
     * @return this builder
     */
    public Builder delay(String value) {
      delay = value;
      return this;
    }

    /**
     * What kind of work it is; chooses the handler.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobType(String value) {
      jobType = value;
      return this;
    }

    /**
     * How often it is tried again after a failure.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxRetries(Integer value) {
      maxRetries = value;
      return this;
    }

    /**
     * <code>normal</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /**
     * When it may run. Not together with <code>delay</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder runAt(Instant value) {
      runAt = value;
      return this;
    }

    /**
     * Words to find it by.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tags(List<String> value) {
      tags = value;
      return this;
    }

    /**
     * The key's own tenant, or <code>default</code>, where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * The longest attempt.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timeout(String value) {
      timeout = value;
      return this;
    }

    /**
     * W3C trace context, carried to the worker. Goes before the header of that name.
     *
     * @param value the value
     * @return this builder
     */
    public Builder traceparent(String value) {
      traceparent = value;
      return this;
    }

    /**
     * At most one unfinished job of the tenant has this key.
     *
     * @param value the value
     * @return this builder
     */
    public Builder uniqueKey(String value) {
      uniqueKey = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the JobRequest
     */
    public JobRequest build() {
      return new JobRequest(backoff, concurrencyKey, data, delay, jobType, maxRetries, priority, runAt, tags, tenant, timeout, traceparent, uniqueKey);
    }
  }
}
