// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A cron expression or an interval to preview.
 *
 * @param anchor First fire of the interval (default: now). May be null.
 * @param count Number of fires, 1 to 1000 (default 5). May be null.
 * @param cron The cron expression. Required without <code>every</code>. May be null.
 * @param every Interval between fires, at least <code>10s</code>, instead of <code>cron</code>. May be null.
 * @param from Start of the preview, exclusive (default: now). May be null.
 * @param timezone IANA time zone (default <code>UTC</code>). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PreviewRequest(
    Instant anchor,
    Integer count,
    String cron,
    String every,
    Instant from,
    String timezone) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a PreviewRequest. */
  public static final class Builder {
    private Instant anchor;
    private Integer count;
    private String cron;
    private String every;
    private Instant from;
    private String timezone;

    private Builder() {}

    /**
     * First fire of the interval (default: now).
     *
     * @param value the value
     * @return this builder
     */
    public Builder anchor(Instant value) {
      anchor = value;
      return this;
    }

    /**
     * Number of fires, 1 to 1000 (default 5).
     *
     * @param value the value
     * @return this builder
     */
    public Builder count(Integer value) {
      count = value;
      return this;
    }

    /**
     * The cron expression. Required without <code>every</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder cron(String value) {
      cron = value;
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
     * Start of the preview, exclusive (default: now).
     *
     * @param value the value
     * @return this builder
     */
    public Builder from(Instant value) {
      from = value;
      return this;
    }

    /**
     * IANA time zone (default <code>UTC</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder timezone(String value) {
      timezone = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the PreviewRequest
     */
    public PreviewRequest build() {
      return new PreviewRequest(anchor, count, cron, every, from, timezone);
    }
  }
}
