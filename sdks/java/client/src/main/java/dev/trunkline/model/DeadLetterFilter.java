// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Filter of dead letters. Absent fields match everything; only open dead letters change.
 *
 * @param fingerprint fingerprint. May be null.
 * @param from Failed permanently at or after this instant. May be null.
 * @param jobType jobType. May be null.
 * @param queue queue. May be null.
 * @param reason reason. May be null.
 * @param status status. May be null.
 * @param tenant tenant. May be null.
 * @param to Failed permanently before this instant. May be null.
 * @param workflow workflow. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterFilter(
    String fingerprint,
    Instant from,
    String jobType,
    QueueName queue,
    DeadReason reason,
    DeadLetterStatus status,
    String tenant,
    Instant to,
    String workflow) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a DeadLetterFilter. */
  public static final class Builder {
    private String fingerprint;
    private Instant from;
    private String jobType;
    private QueueName queue;
    private DeadReason reason;
    private DeadLetterStatus status;
    private String tenant;
    private Instant to;
    private String workflow;

    private Builder() {}

    /**
     * Sets fingerprint.
     *
     * @param value the value
     * @return this builder
     */
    public Builder fingerprint(String value) {
      fingerprint = value;
      return this;
    }

    /**
     * Failed permanently at or after this instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder from(Instant value) {
      from = value;
      return this;
    }

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
    public Builder queue(QueueName value) {
      queue = value;
      return this;
    }

    /**
     * Sets reason.
     *
     * @param value the value
     * @return this builder
     */
    public Builder reason(DeadReason value) {
      reason = value;
      return this;
    }

    /**
     * Sets status.
     *
     * @param value the value
     * @return this builder
     */
    public Builder status(DeadLetterStatus value) {
      status = value;
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
     * Failed permanently before this instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder to(Instant value) {
      to = value;
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
     * @return the DeadLetterFilter
     */
    public DeadLetterFilter build() {
      return new DeadLetterFilter(fingerprint, from, jobType, queue, reason, status, tenant, to, workflow);
    }
  }
}
