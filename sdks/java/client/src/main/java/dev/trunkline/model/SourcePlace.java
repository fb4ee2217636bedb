// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The location of a node in a program.
 *
 * @param column Column, from 1. May be null.
 * @param file Path of the file.
 * @param line Line, from 1.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SourcePlace(
    Integer column,
    String file,
    Integer line) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a SourcePlace. */
  public static final class Builder {
    private Integer column;
    private String file;
    private Integer line;

    private Builder() {}

    /**
     * Column, from 1.
     *
     * @param value the value
     * @return this builder
     */
    public Builder column(Integer value) {
      column = value;
      return this;
    }

    /**
     * Path of the file.
     *
     * @param value the value
     * @return this builder
     */
    public Builder file(String value) {
      file = value;
      return this;
    }

    /**
     * Line, from 1.
     *
     * @param value the value
     * @return this builder
     */
    public Builder line(Integer value) {
      line = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the SourcePlace
     */
    public SourcePlace build() {
      return new SourcePlace(column, file, line);
    }
  }
}
