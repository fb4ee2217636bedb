// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * A signal.
 *
 * @param payload Payload (default null). It becomes the output of the node that receives the signal. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SignalRequest(
    JsonNode payload) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a SignalRequest. */
  public static final class Builder {
    private JsonNode payload;

    private Builder() {}

    /**
     * Payload (default null). It becomes the output of the node that receives the signal.
     *
     * @param value the value
     * @return this builder
     */
    public Builder payload(JsonNode value) {
      payload = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the SignalRequest
     */
    public SignalRequest build() {
      return new SignalRequest(payload);
    }
  }
}
