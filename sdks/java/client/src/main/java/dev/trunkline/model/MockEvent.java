// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * An event to deliver.
 *
 * @param after Time after the start at which it is delivered (default: as soon as a node waits for it). May be null.
 * @param data Data. May be null.
 * @param name Event name.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MockEvent(
    String after,
    JsonNode data,
    String name) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a MockEvent. */
  public static final class Builder {
    private String after;
    private JsonNode data;
    private String name;

    private Builder() {}

    /**
     * Time after the start at which it is delivered (default: as soon as a node waits for it).
     *
     * @param value the value
     * @return this builder
     */
    public Builder after(String value) {
      after = value;
      return this;
    }

    /**
     * Data.
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * Event name.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the MockEvent
     */
    public MockEvent build() {
      return new MockEvent(after, data, name);
    }
  }
}
