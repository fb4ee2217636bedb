// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The output of a user task.
 *
 * @param output Validated against the task's form (default null). It becomes the output of the node. May be null.
 * @param round Round of the node (default: the latest). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record UserTaskCompletion(
    JsonNode output,
    Integer round) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a UserTaskCompletion. */
  public static final class Builder {
    private JsonNode output;
    private Integer round;

    private Builder() {}

    /**
     * Validated against the task's form (default null). It becomes the output of the node.
     *
     * @param value the value
     * @return this builder
     */
    public Builder output(JsonNode value) {
      output = value;
      return this;
    }

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
     * @return the UserTaskCompletion
     */
    public UserTaskCompletion build() {
      return new UserTaskCompletion(output, round);
    }
  }
}
