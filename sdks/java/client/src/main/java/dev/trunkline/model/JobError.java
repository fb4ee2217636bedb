// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * An error of a job.
 *
 * @param code Error code for programs. May be null.
 * @param details Additional details from the handler. May be null.
 * @param message Message for people.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobError(
    String code,
    JsonNode details,
    String message) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a JobError. */
  public static final class Builder {
    private String code;
    private JsonNode details;
    private String message;

    private Builder() {}

    /**
     * Error code for programs.
     *
     * @param value the value
     * @return this builder
     */
    public Builder code(String value) {
      code = value;
      return this;
    }

    /**
     * Additional details from the handler.
     *
     * @param value the value
     * @return this builder
     */
    public Builder details(JsonNode value) {
      details = value;
      return this;
    }

    /**
     * Message for people.
     *
     * @param value the value
     * @return this builder
     */
    public Builder message(String value) {
      message = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the JobError
     */
    public JobError build() {
      return new JobError(code, details, message);
    }
  }
}
