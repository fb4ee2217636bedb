// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Backoff between retries: <code>initial</code>, <code>initial × factor</code>, … up to <code>max</code>.
 *
 * @param factor Multiplier of consecutive delays. May be null.
 * @param initial Delay before the first retry. May be null.
 * @param jitter Whether delays are randomized. May be null.
 * @param max Maximum delay. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Backoff(
    Double factor,
    String initial,
    Boolean jitter,
    String max) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Backoff. */
  public static final class Builder {
    private Double factor;
    private String initial;
    private Boolean jitter;
    private String max;

    private Builder() {}

    /**
     * Multiplier of consecutive delays.
     *
     * @param value the value
     * @return this builder
     */
    public Builder factor(Double value) {
      factor = value;
      return this;
    }

    /**
     * Delay before the first retry.
     *
     * @param value the value
     * @return this builder
     */
    public Builder initial(String value) {
      initial = value;
      return this;
    }

    /**
     * Whether delays are randomized.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jitter(Boolean value) {
      jitter = value;
      return this;
    }

    /**
     * Maximum delay.
     *
     * @param value the value
     * @return this builder
     */
    public Builder max(String value) {
      max = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Backoff
     */
    public Backoff build() {
      return new Backoff(factor, initial, jitter, max);
    }
  }
}
