// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Dead letters to archive.
 *
 * @param all Confirms an empty filter, which matches everything. May be null.
 * @param dryRun Dry run: only counts the matches. May be null.
 * @param filter Filter. An empty filter requires <code>all</code>. May be null.
 * @param limit Maximum number of items to process. May be null.
 * @param ratePerSecond Maximum rate. May be null.
 * @param reason Reason stored with each dead letter. Required unless it is a dry run. May be null.
 * @param stopOnFailureRate Stops when more than this share cannot be archived, from 0 to 1. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkArchiveRequest(
    Boolean all,
    Boolean dryRun,
    DeadLetterFilter filter,
    Long limit,
    Integer ratePerSecond,
    String reason,
    Double stopOnFailureRate) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BulkArchiveRequest. */
  public static final class Builder {
    private Boolean all;
    private Boolean dryRun;
    private DeadLetterFilter filter;
    private Long limit;
    private Integer ratePerSecond;
    private String reason;
    private Double stopOnFailureRate;

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
    public Builder filter(DeadLetterFilter value) {
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
     * Reason stored with each dead letter. Required unless it is a dry run.
     *
     * @param value the value
     * @return this builder
     */
    public Builder reason(String value) {
      reason = value;
      return this;
    }

    /**
     * Stops when more than this share cannot be archived, from 0 to 1.
     *
     * @param value the value
     * @return this builder
     */
    public Builder stopOnFailureRate(Double value) {
      stopOnFailureRate = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the BulkArchiveRequest
     */
    public BulkArchiveRequest build() {
      return new BulkArchiveRequest(all, dryRun, filter, limit, ratePerSecond, reason, stopOnFailureRate);
    }
  }
}
