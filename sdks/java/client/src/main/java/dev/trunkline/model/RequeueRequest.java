// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * What changes with a requeue. Absent fields keep what the job had.
 *
 * @param data Another payload. May be null.
 * @param maxRetries How often it is tried again from now on. May be null.
 * @param priority priority. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RequeueRequest(
    JsonNode data,
    Integer maxRetries,
    Priority priority) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a RequeueRequest. */
  public static final class Builder {
    private JsonNode data;
    private Integer maxRetries;
    private Priority priority;

    private Builder() {}

    /**
     * Another payload.
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * How often it is tried again from now on.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxRetries(Integer value) {
      maxRetries = value;
      return this;
    }

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
     * @return the RequeueRequest
     */
    public RequeueRequest build() {
      return new RequeueRequest(data, maxRetries, priority);
    }
  }
}
