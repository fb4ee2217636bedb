// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Limits of one queue. Absent fields keep their limit; null removes an override.
 *
 * @param jobTypeRate Rate of each job type without its own rate. Only on <code>/v1/limits</code>, for <code>workflow-node</code>. May be null.
 * @param maxConcurrent Maximum number of concurrent jobs. May be null.
 * @param rate Starts per period: a window such as <code>"100/1m"</code>, which allows at most 100 starts in any minute, or a token bucket that refills evenly. May be null.
 * @param tenantMaxConcurrent Limit of each tenant without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param tenantRate Rate of each tenant without its own rate. Only on <code>/v1/limits</code>. May be null.
 * @param workflowMaxConcurrent Limit of each workflow without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param workflowRate Rate of each workflow without its own rate. Only on <code>/v1/limits</code>. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LimitChanges(
    JsonNode jobTypeRate,
    Integer maxConcurrent,
    JsonNode rate,
    Integer tenantMaxConcurrent,
    JsonNode tenantRate,
    Integer workflowMaxConcurrent,
    JsonNode workflowRate) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a LimitChanges. */
  public static final class Builder {
    private JsonNode jobTypeRate;
    private Integer maxConcurrent;
    private JsonNode rate;
    private Integer tenantMaxConcurrent;
    private JsonNode tenantRate;
    private Integer workflowMaxConcurrent;
    private JsonNode workflowRate;

    private Builder() {}

    /**
     * Rate of each job type without its own rate. Only on <code>/v1/limits</code>, for <code>workflow-node</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobTypeRate(JsonNode value) {
      jobTypeRate = value;
      return this;
    }

    /**
     * Maximum number of concurrent jobs.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxConcurrent(Integer value) {
      maxConcurrent = value;
      return this;
    }

    /**
     * Starts per period: a window such as <code>"100/1m"</code>, which allows at most 100 starts in any minute, or a token bucket that refills evenly.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rate(JsonNode value) {
      rate = value;
      return this;
    }

    /**
     * Limit of each tenant without its own limit. Only on <code>/v1/limits</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenantMaxConcurrent(Integer value) {
      tenantMaxConcurrent = value;
      return this;
    }

    /**
     * Rate of each tenant without its own rate. Only on <code>/v1/limits</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenantRate(JsonNode value) {
      tenantRate = value;
      return this;
    }

    /**
     * Limit of each workflow without its own limit. Only on <code>/v1/limits</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowMaxConcurrent(Integer value) {
      workflowMaxConcurrent = value;
      return this;
    }

    /**
     * Rate of each workflow without its own rate. Only on <code>/v1/limits</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowRate(JsonNode value) {
      workflowRate = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the LimitChanges
     */
    public LimitChanges build() {
      return new LimitChanges(jobTypeRate, maxConcurrent, rate, tenantMaxConcurrent, tenantRate, workflowMaxConcurrent, workflowRate);
    }
  }
}
