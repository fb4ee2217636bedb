// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The rate to set for a rate key.
 *
 * @param maxConcurrent Maximum number of concurrent jobs of each key (default: unlimited). May be null.
 * @param rate Starts per period of each key.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record KeyRateRequest(
    Integer maxConcurrent,
    JsonNode rate) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a KeyRateRequest. */
  public static final class Builder {
    private Integer maxConcurrent;
    private JsonNode rate;

    private Builder() {}

    /**
     * Maximum number of concurrent jobs of each key (default: unlimited).
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxConcurrent(Integer value) {
      maxConcurrent = value;
      return this;
    }

    /**
     * Starts per period of each key.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rate(JsonNode value) {
      rate = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the KeyRateRequest
     */
    public KeyRateRequest build() {
      return new KeyRateRequest(maxConcurrent, rate);
    }
  }
}
