// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Deliveries to replay.
 *
 * @param all Confirms an empty filter, which matches everything. May be null.
 * @param allTriggers Whether triggers that have already started a workflow start it again (default false). May be null.
 * @param dryRun Dry run: only counts the matches. May be null.
 * @param filter Filter. An empty filter requires <code>all</code>. May be null.
 * @param limit Maximum number of items to process. May be null.
 * @param ratePerSecond Maximum rate. May be null.
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
     * Confirms an empty filter, which matches everything.
     *
     * @param value the value
     * @return this builder
     */
    public Builder all(Boolean value) {
      all = value;
      return this;
    }

    /**
     * Whether triggers that have already started a workflow start it again (default false).
     *
     * @param value the value
     * @return this builder
     */
    public Builder allTriggers(Boolean value) {
      allTriggers = value;
      return this;
    }

    /**
     * Dry run: only counts the matches.
     *
     * @param value the value
     * @return this builder
     */
    public Builder dryRun(Boolean value) {
      dryRun = value;
      return this;
    }

    /**
     * Filter. An empty filter requires <code>all</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder filter(DeliveryFilter value) {
      filter = value;
      return this;
    }

    /**
     * Maximum number of items to process.
     *
     * @param value the value
     * @return this builder
     */
    public Builder limit(Long value) {
      limit = value;
      return this;
    }

    /**
     * Maximum rate.
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
