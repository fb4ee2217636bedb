// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Target database of a move.
 *
 * @param schema Schema of its tables. May be null.
 * @param to Address of an empty PostgreSQL database, with credentials; never shown again.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MoveRequest(
    String schema,
    String to) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a MoveRequest. */
  public static final class Builder {
    private String schema;
    private String to;

    private Builder() {}

    /**
     * Schema of its tables.
     *
     * @param value the value
     * @return this builder
     */
    public Builder schema(String value) {
      schema = value;
      return this;
    }

    /**
     * Address of an empty PostgreSQL database, with credentials; never shown again.
     *
     * @param value the value
     * @return this builder
     */
    public Builder to(String value) {
      to = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the MoveRequest
     */
    public MoveRequest build() {
      return new MoveRequest(schema, to);
    }
  }
}
