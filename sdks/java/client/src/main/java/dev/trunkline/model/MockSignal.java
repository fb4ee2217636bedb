// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * A signal to send.
 *
 * @param after Time after the start at which it is sent (default: as soon as a node waits for it). May be null.
 * @param name Signal name.
 * @param payload Payload. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MockSignal(
    String after,
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

  /** Builds a MockSignal. */
  public static final class Builder {
    private String after;
    private String name;
    private JsonNode payload;

    private Builder() {}

    /**
     * Time after the start at which it is sent (default: as soon as a node waits for it).
     *
     * @param value the value
     * @return this builder
     */
    public Builder after(String value) {
      after = value;
      return this;
    }

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
     * Payload.
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
     * @return the MockSignal
     */
    public MockSignal build() {
      return new MockSignal(after, name, payload);
    }
  }
}
