// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A job to enqueue.
 *
 * @param attributes Searchable attributes by name: values of their declared types, or lists of at most 16 values. May be null.
 * @param backoff Backoff between retries. May be null.
 * @param concurrencyKey At most one leased job of the tenant has this key, or as many as <code>maxConcurrent</code> of <code>/v1/rates/{key}</code> says. May be null.
 * @param data Payload, passed to the worker unchanged (default <code>null</code>). May be null.
 * @param delay Delay before the earliest start. May be null.
 * @param expiresIn Maximum wait for the start, counted from when the job may run. A job that has not started by then is cancelled with the error code <code>expired</code>. May be null.
 * @param jobType Job type, which selects the handler.
 * @param maxRetries Maximum number of retries after a failure. May be null.
 * @param priority Priority (default <code>normal</code>). May be null.
 * @param rateKey Rate key. If a rate is set for it, starts of the job are counted under that rate. May be null.
 * @param runAt Earliest start time. Mutually exclusive with <code>delay</code>. May be null.
 * @param tags Tags for filtering. May be null.
 * @param tenant Tenant (default: the key's tenant, or <code>default</code>). May be null.
 * @param timeout Timeout of each attempt. May be null.
 * @param traceparent W3C trace context passed to the worker. Overrides the <code>traceparent</code> header. May be null.
 * @param uniqueKey At most one unfinished job of the tenant has this key. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobRequest(
    Map<String, JsonNode> attributes,
    Backoff backoff,
    String concurrencyKey,
    JsonNode data,
    String delay,
    String expiresIn,
    String jobType,
    Integer maxRetries,
    Priority priority,
    String rateKey,
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
    private Map<String, JsonNode> attributes;
    private Backoff backoff;
    private String concurrencyKey;
    private JsonNode data;
    private String delay;
    private String expiresIn;
    private String jobType;
    private Integer maxRetries;
    private Priority priority;
    private String rateKey;
    private Instant runAt;
    private List<String> tags;
    private String tenant;
    private String timeout;
    private String traceparent;
    private String uniqueKey;

    private Builder() {}

    /**
     * Searchable attributes by name: values of their declared types, or lists of at most 16 values.
     *
     * @param value the value
     * @return this builder
     */
    public Builder attributes(Map<String, JsonNode> value) {
      attributes = value;
      return this;
    }

    /**
     * Backoff between retries.
     *
     * @param value the value
     * @return this builder
     */
    public Builder backoff(Backoff value) {
      backoff = value;
      return this;
    }

    /**
     * At most one leased job of the tenant has this key, or as many as <code>maxConcurrent</code> of <code>/v1/rates/{key}</code> says.
     *
     * @param value the value
     * @return this builder
     */
    public Builder concurrencyKey(String value) {
      concurrencyKey = value;
      return this;
    }

    /**
     * Payload, passed to the worker unchanged (default <code>null</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * Delay before the earliest start.
     *
     * @param value the value
     * @return this builder
     */
    public Builder delay(String value) {
      delay = value;
      return this;
    }

    /**
     * Maximum wait for the start, counted from when the job may run. A job that has not started by then is cancelled with the error code <code>expired</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder expiresIn(String value) {
      expiresIn = value;
      return this;
    }

    /**
     * Job type, which selects the handler.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobType(String value) {
      jobType = value;
      return this;
    }

    /**
     * Maximum number of retries after a failure.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxRetries(Integer value) {
      maxRetries = value;
      return this;
    }

    /**
     * Priority (default <code>normal</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /**
     * Rate key. If a rate is set for it, starts of the job are counted under that rate.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rateKey(String value) {
      rateKey = value;
      return this;
    }

    /**
     * Earliest start time. Mutually exclusive with <code>delay</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder runAt(Instant value) {
      runAt = value;
      return this;
    }

    /**
     * Tags for filtering.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tags(List<String> value) {
      tags = value;
      return this;
    }

    /**
     * Tenant (default: the key's tenant, or <code>default</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * Timeout of each attempt.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timeout(String value) {
      timeout = value;
      return this;
    }

    /**
     * W3C trace context passed to the worker. Overrides the <code>traceparent</code> header.
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
      return new JobRequest(attributes, backoff, concurrencyKey, data, delay, expiresIn, jobType, maxRetries, priority, rateKey, runAt, tags, tenant, timeout, traceparent, uniqueKey);
    }
  }
}
