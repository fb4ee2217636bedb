// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A schedule to save.
 *
 * @param catchUpWindow How old a missed slot may be to be run; <code>24h</code> where absent. May be null.
 * @param cron Minute, hour, day of month, month, day of week; or an alias such as <code>&#64;daily</code>.
 * @param endAt No slot after this instant. May be null.
 * @param input The input of its executions, checked against the workflow's schema; an empty object where absent. May be null.
 * @param jitter Executions start up to this much later, each schedule's by its own fixed share. May be null.
 * @param misfire What happens to slots that were missed; <code>latest</code> where absent. May be null.
 * @param name Unique within the tenant.
 * @param overlap What happens to a slot while an execution of the schedule has not ended; <code>skip</code> where absent. May be null.
 * @param paused Whether it is paused; where absent, a new schedule is not, and another stays as it is. May be null.
 * @param priority <code>normal</code> where absent. May be null.
 * @param startAt No slot before this instant. May be null.
 * @param tenant The key's own tenant, or <code>default</code>, where absent. A schedule stays with its tenant. May be null.
 * @param timezone An IANA time zone; <code>UTC</code> where absent. May be null.
 * @param workflow The workflow that it starts, in its latest version at each slot.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ScheduleRequest(
    String catchUpWindow,
    String cron,
    Instant endAt,
    JsonNode input,
    String jitter,
    Misfire misfire,
    String name,
    Overlap overlap,
    Boolean paused,
    Priority priority,
    Instant startAt,
    String tenant,
    String timezone,
    String workflow) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ScheduleRequest. */
  public static final class Builder {
    private String catchUpWindow;
    private String cron;
    private Instant endAt;
    private JsonNode input;
    private String jitter;
    private Misfire misfire;
    private String name;
    private Overlap overlap;
    private Boolean paused;
    private Priority priority;
    private Instant startAt;
    private String tenant;
    private String timezone;
    private String workflow;

    private Builder() {}

    /**
     * How old a missed slot may be to be run; <code>24h</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder catchUpWindow(String value) {
      catchUpWindow = value;
      return this;
    }

    /**
     * Minute, hour, day of month, month, day of week; or an alias such as <code>&#64;daily</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder cron(String value) {
      cron = value;
      return this;
    }

    /**
     * No slot after this instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder endAt(Instant value) {
      endAt = value;
      return this;
    }

    /**
     * The input of its executions, checked against the workflow's schema; an empty object where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder input(JsonNode value) {
      input = value;
      return this;
    }

    /**
     * Executions start up to this much later, each schedule's by its own fixed share.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jitter(String value) {
      jitter = value;
      return this;
    }

    /**
     * What happens to slots that were missed; <code>latest</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder misfire(Misfire value) {
      misfire = value;
      return this;
    }

    /**
     * Unique within the tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * What happens to a slot while an execution of the schedule has not ended; <code>skip</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder overlap(Overlap value) {
      overlap = value;
      return this;
    }

    /**
     * Whether it is paused; where absent, a new schedule is not, and another stays as it is.
     *
     * @param value the value
     * @return this builder
     */
    public Builder paused(Boolean value) {
      paused = value;
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
     * No slot before this instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder startAt(Instant value) {
      startAt = value;
      return this;
    }

    /**
     * The key's own tenant, or <code>default</code>, where absent. A schedule stays with its tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * An IANA time zone; <code>UTC</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timezone(String value) {
      timezone = value;
      return this;
    }

    /**
     * The workflow that it starts, in its latest version at each slot.
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
     * @return the ScheduleRequest
     */
    public ScheduleRequest build() {
      return new ScheduleRequest(catchUpWindow, cron, endAt, input, jitter, misfire, name, overlap, paused, priority, startAt, tenant, timezone, workflow);
    }
  }
}
