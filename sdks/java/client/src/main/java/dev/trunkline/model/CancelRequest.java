// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of a cancellation.
 *
 * @param compensate Whether completed nodes are compensated first (default false). May be null.
 * @param reason Reason, recorded in the timeline. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CancelRequest(
    Boolean compensate,
    String reason) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a CancelRequest. */
  public static final class Builder {
    private Boolean compensate;
    private String reason;

    private Builder() {}

    /**
     * Whether completed nodes are compensated first (default false).
     *
     * @param value the value
     * @return this builder
     */
    public Builder compensate(Boolean value) {
      compensate = value;
      return this;
    }

    /**
     * Reason, recorded in the timeline.
     *
     * @param value the value
     * @return this builder
     */
    public Builder reason(String value) {
      reason = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the CancelRequest
     */
    public CancelRequest build() {
      return new CancelRequest(compensate, reason);
    }
  }
}
