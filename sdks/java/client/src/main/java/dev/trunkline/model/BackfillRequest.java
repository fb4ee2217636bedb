// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A past time range.
 *
 * @param from Start of the range, inclusive.
 * @param to End of the range, inclusive; not in the future. The range may contain at most 1,000 fires.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BackfillRequest(
    Instant from,
    Instant to) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BackfillRequest. */
  public static final class Builder {
    private Instant from;
    private Instant to;

    private Builder() {}

    /**
     * Start of the range, inclusive.
     *
     * @param value the value
     * @return this builder
     */
    public Builder from(Instant value) {
      from = value;
      return this;
    }

    /**
     * End of the range, inclusive; not in the future. The range may contain at most 1,000 fires.
     *
     * @param value the value
     * @return this builder
     */
    public Builder to(Instant value) {
      to = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the BackfillRequest
     */
    public BackfillRequest build() {
      return new BackfillRequest(from, to);
    }
  }
}
