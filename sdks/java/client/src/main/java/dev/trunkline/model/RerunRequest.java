// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * From where an execution is run again.
 *
 * @param compensateOriginal Whether the rerun, if it fails, undoes what it took over as well. Without it, it undoes only what it did itself. May be null.
 * @param fromNode It and all that come after it start again; the results of the others are taken over.
 * @param input Another input; that of the first run where absent. May be null.
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
     * Whether the rerun, if it fails, undoes what it took over as well. Without it, it undoes only what it did itself.
     *
     * @param value the value
     * @return this builder
     */
    public Builder compensateOriginal(Boolean value) {
      compensateOriginal = value;
      return this;
    }

    /**
     * It and all that come after it start again; the results of the others are taken over.
     *
     * @param value the value
     * @return this builder
     */
    public Builder fromNode(String value) {
      fromNode = value;
      return this;
    }

    /**
     * Another input; that of the first run where absent.
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
