// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of ignoring a group.
 *
 * @param note Explanation for other people. May be null.
 * @param until When the group reopens (default: only when someone reopens it). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record GroupIgnoreRequest(
    String note,
    DeadLetterGroupUntil until) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a GroupIgnoreRequest. */
  public static final class Builder {
    private String note;
    private DeadLetterGroupUntil until;

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
     * When the group reopens (default: only when someone reopens it).
     *
     * @param value the value
     * @return this builder
     */
    public Builder until(DeadLetterGroupUntil value) {
      until = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the GroupIgnoreRequest
     */
    public GroupIgnoreRequest build() {
      return new GroupIgnoreRequest(note, until);
    }
  }
}
