// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A change of the time of a development server.
 *
 * @param advance How far to advance the time, through all timers, retries and schedules in between. May be null.
 * @param skip Whether time skips forward automatically from now on. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TimeMoveRequest(
    String advance,
    Boolean skip) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a TimeMoveRequest. */
  public static final class Builder {
    private String advance;
    private Boolean skip;

    private Builder() {}

    /**
     * How far to advance the time, through all timers, retries and schedules in between.
     *
     * @param value the value
     * @return this builder
     */
    public Builder advance(String value) {
      advance = value;
      return this;
    }

    /**
     * Whether time skips forward automatically from now on.
     *
     * @param value the value
     * @return this builder
     */
    public Builder skip(Boolean value) {
      skip = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the TimeMoveRequest
     */
    public TimeMoveRequest build() {
      return new TimeMoveRequest(advance, skip);
    }
  }
}
