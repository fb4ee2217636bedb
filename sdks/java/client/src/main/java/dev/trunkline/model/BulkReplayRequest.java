// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Deliveries to replay.
 *
 * @param all Says that an empty filter is meant. May be null.
 * @param allTriggers Whether triggers that have started their workflows do so again. May be null.
 * @param dryRun Only counts them. May be null.
 * @param filter Which ones. An empty filter needs <code>all</code>. May be null.
 * @param limit How many at most. May be null.
 * @param ratePerSecond How fast. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkReplayRequest(
    Boolean all,
    Boolean allTriggers,
    Boolean dryRun,
    DeliveryFilter filter,
    Long limit,
    Integer ratePerSecond) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BulkReplayRequest. */
  public static final class Builder {
    private Boolean all;
    private Boolean allTriggers;
    private Boolean dryRun;
    private DeliveryFilter filter;
    private Long limit;
    private Integer ratePerSecond;

    private Builder() {}

    /**
     * Says that an empty filter is meant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder all(Boolean value) {
      all = value;
      return this;
    }

    /**
     * Whether triggers that have started their workflows do so again.
     *
     * @param value the value
     * @return this builder
     */
    public Builder allTriggers(Boolean value) {
      allTriggers = value;
      return this;
    }

    /**
     * Only counts them.
     *
     * @param value the value
     * @return this builder
     */
    public Builder dryRun(Boolean value) {
      dryRun = value;
      return this;
    }

    /**
     * Which ones. An empty filter needs <code>all</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder filter(DeliveryFilter value) {
      filter = value;
      return this;
    }

    /**
     * How many at most.
     *
     * @param value the value
     * @return this builder
     */
    public Builder limit(Long value) {
      limit = value;
      return this;
    }

    /**
     * How fast.
     *
     * @param value the value
     * @return this builder
     */
    public Builder ratePerSecond(Integer value) {
      ratePerSecond = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the BulkReplayRequest
     */
    public BulkReplayRequest build() {
      return new BulkReplayRequest(all, allTriggers, dryRun, filter, limit, ratePerSecond);
    }
  }
}
