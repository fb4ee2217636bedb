// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of a key rotation.
 *
 * @param overlap How long the previous secret stays valid, up to 30 d (default 24 h). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record KeyRotation(
    String overlap) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a KeyRotation. */
  public static final class Builder {
    private String overlap;

    private Builder() {}

    /**
     * How long the previous secret stays valid, up to 30 d (default 24 h).
     *
     * @param value the value
     * @return this builder
     */
    public Builder overlap(String value) {
      overlap = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the KeyRotation
     */
    public KeyRotation build() {
      return new KeyRotation(overlap);
    }
  }
}
