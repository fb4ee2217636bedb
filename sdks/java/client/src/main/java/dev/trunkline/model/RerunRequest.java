// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Options of a rerun.
 *
 * @param compensateOriginal Whether a failed rerun also compensates nodes whose results it reused (default false). May be null.
 * @param fromNode Node to rerun from. It and all nodes after it run again; results of the others are reused.
 * @param input New input (default: the input of the original execution). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RerunRequest(
    Boolean compensateOriginal,
    String fromNode,
    JsonNode input) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a RerunRequest. */
  public static final class Builder {
    private Boolean compensateOriginal;
    private String fromNode;
    private JsonNode input;

    private Builder() {}

    /**
     * Whether a failed rerun also compensates nodes whose results it reused (default false).
     *
     * @param value the value
     * @return this builder
     */
    public Builder compensateOriginal(Boolean value) {
      compensateOriginal = value;
      return this;
    }

    /**
     * Node to rerun from. It and all nodes after it run again; results of the others are reused.
     *
     * @param value the value
     * @return this builder
     */
    public Builder fromNode(String value) {
      fromNode = value;
      return this;
    }

    /**
     * New input (default: the input of the original execution).
     *
     * @param value the value
     * @return this builder
     */
    public Builder input(JsonNode value) {
      input = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the RerunRequest
     */
    public RerunRequest build() {
      return new RerunRequest(compensateOriginal, fromNode, input);
    }
  }
}
