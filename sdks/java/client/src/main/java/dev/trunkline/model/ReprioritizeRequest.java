// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * New priority.
 *
 * @param priority priority.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReprioritizeRequest(
    Priority priority) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ReprioritizeRequest. */
  public static final class Builder {
    private Priority priority;

    private Builder() {}

    /**
     * Sets priority.
     *
     * @param value the value
     * @return this builder
     */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the ReprioritizeRequest
     */
    public ReprioritizeRequest build() {
      return new ReprioritizeRequest(priority);
    }
  }
}
