// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The objects that a bulk operation changes first, before it pauses.
 *
 * @param count Number of objects.
 * @param proceed <code>auto</code> (default): the operation continues when all of them have an outcome and the failure rate is acceptable. <code>manual</code>: it waits until it is resumed. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkCanary(
    Long count,
    String proceed) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BulkCanary. */
  public static final class Builder {
    private Long count;
    private String proceed;

    private Builder() {}

    /**
     * Number of objects.
     *
     * @param value the value
     * @return this builder
     */
    public Builder count(Long value) {
      count = value;
      return this;
    }

    /**
     * <code>auto</code> (default): the operation continues when all of them have an outcome and the failure rate is acceptable. <code>manual</code>: it waits until it is resumed.
     *
     * @param value the value
     * @return this builder
     */
    public Builder proceed(String value) {
      proceed = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the BulkCanary
     */
    public BulkCanary build() {
      return new BulkCanary(count, proceed);
    }
  }
}
