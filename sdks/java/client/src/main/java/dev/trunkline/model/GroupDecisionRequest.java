// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of resolving or reopening a group.
 *
 * @param note Explanation for other people. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record GroupDecisionRequest(
    String note) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a GroupDecisionRequest. */
  public static final class Builder {
    private String note;

    private Builder() {}

    /**
     * Explanation for other people.
     *
     * @param value the value
     * @return this builder
     */
    public Builder note(String value) {
      note = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the GroupDecisionRequest
     */
    public GroupDecisionRequest build() {
      return new GroupDecisionRequest(note);
    }
  }
}
