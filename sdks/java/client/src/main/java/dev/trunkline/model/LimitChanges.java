// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Limits of one queue. Absent fields keep their limit; null removes an override.
 *
 * @param maxConcurrent Maximum number of concurrent jobs. May be null.
 * @param tenantMaxConcurrent Limit of each tenant without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param workflowMaxConcurrent Limit of each workflow without its own limit. Only on <code>/v1/limits</code>. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LimitChanges(
    Integer maxConcurrent,
    Integer tenantMaxConcurrent,
    Integer workflowMaxConcurrent) {
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
    private Integer maxConcurrent;
    private Integer tenantMaxConcurrent;
    private Integer workflowMaxConcurrent;

    private Builder() {}

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
     * The finished value.
     *
     * @return the LimitChanges
     */
    public LimitChanges build() {
      return new LimitChanges(maxConcurrent, tenantMaxConcurrent, workflowMaxConcurrent);
    }
  }
}
