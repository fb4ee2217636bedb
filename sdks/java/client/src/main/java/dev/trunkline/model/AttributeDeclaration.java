// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An attribute to declare.
 *
 * @param path Path to the value in a payload: <code>data</code> or <code>result</code> of jobs, <code>input</code> or <code>output</code> of executions. May be null.
 * @param type <code>text</code> (at most 256 bytes), <code>integer</code>, <code>number</code>, <code>boolean</code> or <code>instant</code>.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AttributeDeclaration(
    String path,
    AttributeType type) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a AttributeDeclaration. */
  public static final class Builder {
    private String path;
    private AttributeType type;

    private Builder() {}

    /**
     * Path to the value in a payload: <code>data</code> or <code>result</code> of jobs, <code>input</code> or <code>output</code> of executions.
     *
     * @param value the value
     * @return this builder
     */
    public Builder path(String value) {
      path = value;
      return this;
    }

    /**
     * <code>text</code> (at most 256 bytes), <code>integer</code>, <code>number</code>, <code>boolean</code> or <code>instant</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder type(AttributeType value) {
      type = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the AttributeDeclaration
     */
    public AttributeDeclaration build() {
      return new AttributeDeclaration(path, type);
    }
  }
}
