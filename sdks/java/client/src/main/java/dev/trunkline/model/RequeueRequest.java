// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Changes applied by a requeue. Absent fields keep the values of the job.
 *
 * @param data New payload. May be null.
 * @param maxRetries New maximum number of retries. May be null.
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
     * New payload.
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * New maximum number of retries.
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
