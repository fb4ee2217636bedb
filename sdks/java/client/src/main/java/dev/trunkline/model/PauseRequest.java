// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of a pause.
 *
 * @param newRuns Policy for new executions (default <code>queue</code>). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PauseRequest(
    NewRuns newRuns) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a PauseRequest. */
  public static final class Builder {
    private NewRuns newRuns;

    private Builder() {}

    /**
     * Policy for new executions (default <code>queue</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder newRuns(NewRuns value) {
      newRuns = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the PauseRequest
     */
    public PauseRequest build() {
      return new PauseRequest(newRuns);
    }
  }
}
