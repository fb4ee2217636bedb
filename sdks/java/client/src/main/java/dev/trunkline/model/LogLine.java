// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;

/**
 * A log line of a handler.
 *
 * @param at Time of the line by the worker's clock (default: now). May be null.
 * @param fields Structured fields: an object. May be null.
 * @param level level.
 * @param message Text; message and fields have at most 8 KiB together, and longer lines are cut.
 * @param sequence Number of the line in its attempt, from 1. Lines that were already received are not stored again. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LogLine(
    Instant at,
    Map<String, JsonNode> fields,
    LogLevel level,
    String message,
    Integer sequence) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a LogLine. */
  public static final class Builder {
    private Instant at;
    private Map<String, JsonNode> fields;
    private LogLevel level;
    private String message;
    private Integer sequence;

    private Builder() {}

    /**
     * Time of the line by the worker's clock (default: now).
     *
     * @param value the value
     * @return this builder
     */
    public Builder at(Instant value) {
      at = value;
      return this;
    }

    /**
     * Structured fields: an object.
     *
     * @param value the value
     * @return this builder
     */
    public Builder fields(Map<String, JsonNode> value) {
      fields = value;
      return this;
    }

    /**
     * Sets level.
     *
     * @param value the value
     * @return this builder
     */
    public Builder level(LogLevel value) {
      level = value;
      return this;
    }

    /**
     * Text; message and fields have at most 8 KiB together, and longer lines are cut.
     *
     * @param value the value
     * @return this builder
     */
    public Builder message(String value) {
      message = value;
      return this;
    }

    /**
     * Number of the line in its attempt, from 1. Lines that were already received are not stored again.
     *
     * @param value the value
     * @return this builder
     */
    public Builder sequence(Integer value) {
      sequence = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the LogLine
     */
    public LogLine build() {
      return new LogLine(at, fields, level, message, sequence);
    }
  }
}
