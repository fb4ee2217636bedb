// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Round of a user task.
 *
 * @param round Round of the node (default: the latest). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record UserTaskRound(
    Integer round) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a UserTaskRound. */
  public static final class Builder {
    private Integer round;

    private Builder() {}

    /**
     * Round of the node (default: the latest).
     *
     * @param value the value
     * @return this builder
     */
    public Builder round(Integer value) {
      round = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the UserTaskRound
     */
    public UserTaskRound build() {
      return new UserTaskRound(round);
    }
  }
}
