// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * A signal to send with the start of an execution.
 *
 * @param name Signal name.
 * @param payload Payload (default: null). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StartSignal(
    String name,
    JsonNode payload) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a StartSignal. */
  public static final class Builder {
    private String name;
    private JsonNode payload;

    private Builder() {}

    /**
     * Signal name.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Payload (default: null).
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
     * @return the StartSignal
     */
    public StartSignal build() {
      return new StartSignal(name, payload);
    }
  }
}
