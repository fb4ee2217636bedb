// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A schedule to save.
 *
 * @param anchor First fire of the interval, from which all others are counted (default: the creation of the schedule). May be null.
 * @param catchUpWindow Maximum age of a missed fire that still runs (default <code>24h</code>). May be null.
 * @param cron Cron expression: minute, hour, day of month, month, day of week; or an alias such as <code>&#64;daily</code>. Required without <code>every</code>. May be null.
 * @param endAt Last instant at which the schedule may fire. May be null.
 * @param every Interval between fires, at least <code>10s</code>, instead of <code>cron</code>. May be null.
 * @param input Execution input, validated against the workflow's schema (default: an empty object). May be null.
 * @param jitter Maximum jitter of the start time; constant for each schedule. May be null.
 * @param misfire Policy for missed fires (default <code>latest</code>). May be null.
 * @param name Unique within the tenant.
 * @param overlap Policy while a previous execution still runs (default <code>skip</code>). May be null.
 * @param paused Whether the schedule is paused (default: false for a new one, unchanged for an existing one). May be null.
 * @param priority Priority (default <code>normal</code>). May be null.
 * @param startAt First instant at which the schedule may fire. May be null.
 * @param tenant Tenant (default: the key's tenant, or <code>default</code>). It cannot change later. May be null.
 * @param timezone IANA time zone of the expression (default <code>UTC</code>). May be null.
 * @param workflow Workflow to start, in its latest version at each fire.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ScheduleRequest(
    Instant anchor,
    String catchUpWindow,
    String cron,
    Instant endAt,
    String every,
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
    private Instant anchor;
    private String catchUpWindow;
    private String cron;
    private Instant endAt;
    private String every;
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
     * First fire of the interval, from which all others are counted (default: the creation of the schedule).
     *
     * @param value the value
     * @return this builder
     */
    public Builder anchor(Instant value) {
      anchor = value;
      return this;
    }

    /**
     * Maximum age of a missed fire that still runs (default <code>24h</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder catchUpWindow(String value) {
      catchUpWindow = value;
      return this;
    }

    /**
     * Cron expression: minute, hour, day of month, month, day of week; or an alias such as <code>&#64;daily</code>. Required without <code>every</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder cron(String value) {
      cron = value;
      return this;
    }

    /**
     * Last instant at which the schedule may fire.
     *
     * @param value the value
     * @return this builder
     */
    public Builder endAt(Instant value) {
      endAt = value;
      return this;
    }

    /**
     * Interval between fires, at least <code>10s</code>, instead of <code>cron</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder every(String value) {
      every = value;
      return this;
    }

    /**
     * Execution input, validated against the workflow's schema (default: an empty object).
     *
     * @param value the value
     * @return this builder
     */
    public Builder input(JsonNode value) {
      input = value;
      return this;
    }

    /**
     * Maximum jitter of the start time; constant for each schedule.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jitter(String value) {
      jitter = value;
      return this;
    }

    /**
     * Policy for missed fires (default <code>latest</code>).
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
     * Policy while a previous execution still runs (default <code>skip</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder overlap(Overlap value) {
      overlap = value;
      return this;
    }

    /**
     * Whether the schedule is paused (default: false for a new one, unchanged for an existing one).
     *
     * @param value the value
     * @return this builder
     */
    public Builder paused(Boolean value) {
      paused = value;
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
     * First instant at which the schedule may fire.
     *
     * @param value the value
     * @return this builder
     */
    public Builder startAt(Instant value) {
      startAt = value;
      return this;
    }

    /**
     * Tenant (default: the key's tenant, or <code>default</code>). It cannot change later.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * IANA time zone of the expression (default <code>UTC</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder timezone(String value) {
      timezone = value;
      return this;
    }

    /**
     * Workflow to start, in its latest version at each fire.
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
      return new ScheduleRequest(anchor, catchUpWindow, cron, endAt, every, input, jitter, misfire, name, overlap, paused, priority, startAt, tenant, timezone, workflow);
    }
  }
}
