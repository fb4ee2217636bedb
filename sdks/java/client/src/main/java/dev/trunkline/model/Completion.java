// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * A completed job.
 *
 * @param attributes Searchable attributes by name: values of their declared types, or lists of at most 16 values. May be null.
 * @param id id.
 * @param leaseToken leaseToken.
 * @param logs Log lines of the attempt so far; at most 100 per call. May be null.
 * @param result Result of the handler. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Completion(
    Map<String, JsonNode> attributes,
    String id,
    String leaseToken,
    List<LogLine> logs,
    JsonNode result) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Completion. */
  public static final class Builder {
    private Map<String, JsonNode> attributes;
    private String id;
    private String leaseToken;
    private List<LogLine> logs;
    private JsonNode result;

    private Builder() {}

    /**
     * Searchable attributes by name: values of their declared types, or lists of at most 16 values.
     *
     * @param value the value
     * @return this builder
     */
    public Builder attributes(Map<String, JsonNode> value) {
      attributes = value;
      return this;
    }

    /**
     * Sets id.
     *
     * @param value the value
     * @return this builder
     */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /**
     * Sets leaseToken.
     *
     * @param value the value
     * @return this builder
     */
    public Builder leaseToken(String value) {
      leaseToken = value;
      return this;
    }

    /**
     * Log lines of the attempt so far; at most 100 per call.
     *
     * @param value the value
     * @return this builder
     */
    public Builder logs(List<LogLine> value) {
      logs = value;
      return this;
    }

    /**
     * Result of the handler.
     *
     * @param value the value
     * @return this builder
     */
    public Builder result(JsonNode value) {
      result = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Completion
     */
    public Completion build() {
      return new Completion(attributes, id, leaseToken, logs, result);
    }
  }
}
