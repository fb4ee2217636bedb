// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A cron expression to preview.
 *
 * @param count Number of fires, 1 to 1000 (default 5). May be null.
 * @param cron The cron expression.
 * @param from Start of the preview, exclusive (default: now). May be null.
 * @param timezone IANA time zone (default <code>UTC</code>). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PreviewRequest(
    Integer count,
    String cron,
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
    private Integer count;
    private String cron;
    private Instant from;
    private String timezone;

    private Builder() {}

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
     * The cron expression.
     *
     * @param value the value
     * @return this builder
     */
    public Builder cron(String value) {
      cron = value;
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
      return new PreviewRequest(count, cron, from, timezone);
    }
  }
}
