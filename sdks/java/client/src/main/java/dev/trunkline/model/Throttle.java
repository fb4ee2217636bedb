// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Limits the number of starts in any period. Further starts are delayed.
 *
 * @param key Key of the starts that are counted together, with <code>${…}</code> expressions (default: all starts of the trigger). May be null.
 * @param rate Starts per period.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Throttle(
    String key,
    JsonNode rate) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Throttle. */
  public static final class Builder {
    private String key;
    private JsonNode rate;

    private Builder() {}

    /**
     * Key of the starts that are counted together, with <code>${…}</code> expressions (default: all starts of the trigger).
     *
     * @param value the value
     * @return this builder
     */
    public Builder key(String value) {
      key = value;
      return this;
    }

    /**
     * Starts per period.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rate(JsonNode value) {
      rate = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Throttle
     */
    public Throttle build() {
      return new Throttle(key, rate);
    }
  }
}
