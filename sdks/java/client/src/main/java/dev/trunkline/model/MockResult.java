// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * How one round of a node ends, after its retries: exactly one of <code>output</code>, <code>error</code> and <code>timesOut</code>.
 *
 * @param after Duration of the round (default: zero). May be null.
 * @param error Error: an object, or just a message. May be null.
 * @param output What the handler or child returns, the person submits, or the signal or callback carries. May be null.
 * @param timesOut Whether the node's timeout ends it. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MockResult(
    String after,
    JobError error,
    JsonNode output,
    Boolean timesOut) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a MockResult. */
  public static final class Builder {
    private String after;
    private JobError error;
    private JsonNode output;
    private Boolean timesOut;

    private Builder() {}

    /**
     * Duration of the round (default: zero).
     *
     * @param value the value
     * @return this builder
     */
    public Builder after(String value) {
      after = value;
      return this;
    }

    /**
     * Error: an object, or just a message.
     *
     * @param value the value
     * @return this builder
     */
    public Builder error(JobError value) {
      error = value;
      return this;
    }

    /**
     * What the handler or child returns, the person submits, or the signal or callback carries.
     *
     * @param value the value
     * @return this builder
     */
    public Builder output(JsonNode value) {
      output = value;
      return this;
    }

    /**
     * Whether the node's timeout ends it.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timesOut(Boolean value) {
      timesOut = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the MockResult
     */
    public MockResult build() {
      return new MockResult(after, error, output, timesOut);
    }
  }
}
