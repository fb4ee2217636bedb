// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Objects that a rule is limited to.
 *
 * @param jobType jobType. May be null.
 * @param queue queue. May be null.
 * @param scheduleId scheduleId. May be null.
 * @param tenant tenant. May be null.
 * @param webhookId webhookId. May be null.
 * @param workflow workflow. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AlertScope(
    String jobType,
    String queue,
    String scheduleId,
    String tenant,
    String webhookId,
    String workflow) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a AlertScope. */
  public static final class Builder {
    private String jobType;
    private String queue;
    private String scheduleId;
    private String tenant;
    private String webhookId;
    private String workflow;

    private Builder() {}

    /**
     * Sets jobType.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobType(String value) {
      jobType = value;
      return this;
    }

    /**
     * Sets queue.
     *
     * @param value the value
     * @return this builder
     */
    public Builder queue(String value) {
      queue = value;
      return this;
    }

    /**
     * Sets scheduleId.
     *
     * @param value the value
     * @return this builder
     */
    public Builder scheduleId(String value) {
      scheduleId = value;
      return this;
    }

    /**
     * Sets tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * Sets webhookId.
     *
     * @param value the value
     * @return this builder
     */
    public Builder webhookId(String value) {
      webhookId = value;
      return this;
    }

    /**
     * Sets workflow.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflow(String value) {
      workflow = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the AlertScope
     */
    public AlertScope build() {
      return new AlertScope(jobType, queue, scheduleId, tenant, webhookId, workflow);
    }
  }
}
