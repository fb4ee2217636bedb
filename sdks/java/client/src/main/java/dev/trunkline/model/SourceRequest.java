// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * Source places of a version.
 *
 * @param nodes Places by node ID.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SourceRequest(
    Map<String, SourcePlace> nodes) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a SourceRequest. */
  public static final class Builder {
    private Map<String, SourcePlace> nodes;

    private Builder() {}

    /**
     * Places by node ID.
     *
     * @param value the value
     * @return this builder
     */
    public Builder nodes(Map<String, SourcePlace> value) {
      nodes = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the SourceRequest
     */
    public SourceRequest build() {
      return new SourceRequest(nodes);
    }
  }
}
