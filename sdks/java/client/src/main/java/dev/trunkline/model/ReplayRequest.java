// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of a replay.
 *
 * @param allTriggers Whether triggers that have already started a workflow start it again (default false). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplayRequest(
    Boolean allTriggers) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ReplayRequest. */
  public static final class Builder {
    private Boolean allTriggers;

    private Builder() {}

    /**
     * Whether triggers that have already started a workflow start it again (default false).
     *
     * @param value the value
     * @return this builder
     */
    public Builder allTriggers(Boolean value) {
      allTriggers = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the ReplayRequest
     */
    public ReplayRequest build() {
      return new ReplayRequest(allTriggers);
    }
  }
}
