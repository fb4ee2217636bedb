// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * When an ignored group comes back: at either.
 *
 * @param count Number of further dead letters, 1 to 10,000. May be null.
 * @param instant Instant. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterGroupUntil(
    Integer count,
    Instant instant) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a DeadLetterGroupUntil. */
  public static final class Builder {
    private Integer count;
    private Instant instant;

    private Builder() {}

    /**
     * Number of further dead letters, 1 to 10,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder count(Integer value) {
      count = value;
      return this;
    }

    /**
     * Instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder instant(Instant value) {
      instant = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the DeadLetterGroupUntil
     */
    public DeadLetterGroupUntil build() {
      return new DeadLetterGroupUntil(count, instant);
    }
  }
}
