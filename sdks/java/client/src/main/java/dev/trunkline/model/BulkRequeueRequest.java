// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Dead letters to requeue.
 *
 * @param all Confirms an empty filter, which matches everything. May be null.
 * @param canary Canary: objects that are changed first. May be null.
 * @param data New payload for each job. May be null.
 * @param dryRun Dry run: only counts the matches and shows up to ten of them. May be null.
 * @param filter Filter. An empty filter requires <code>all</code>. May be null.
 * @param ids IDs of the objects, at most 10,000, instead of a filter. May be null.
 * @param limit Maximum number of objects. May be null.
 * @param maxRetries New maximum number of retries for each job. May be null.
 * @param priority priority. May be null.
 * @param ratePerSecond Maximum number of objects changed per second. May be null.
 * @param reason Reason, at most 500 characters. Kept with the operation and in the audit log. May be null.
 * @param stopOnFailureRate Stops when more than this fraction of the objects failed, from 0 to 1. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkRequeueRequest(
    Boolean all,
    BulkCanary canary,
    JsonNode data,
    Boolean dryRun,
    BulkFilter filter,
    List<String> ids,
    Long limit,
    Integer maxRetries,
    Priority priority,
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

  /** Builds a BulkRequeueRequest. */
  public static final class Builder {
    private Boolean all;
    private BulkCanary canary;
    private JsonNode data;
    private Boolean dryRun;
    private BulkFilter filter;
    private List<String> ids;
    private Long limit;
    private Integer maxRetries;
    private Priority priority;
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
     * Canary: objects that are changed first.
     *
     * @param value the value
     * @return this builder
     */
    public Builder canary(BulkCanary value) {
      canary = value;
      return this;
    }

    /**
     * New payload for each job.
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * Dry run: only counts the matches and shows up to ten of them.
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
    public Builder filter(BulkFilter value) {
      filter = value;
      return this;
    }

    /**
     * IDs of the objects, at most 10,000, instead of a filter.
     *
     * @param value the value
     * @return this builder
     */
    public Builder ids(List<String> value) {
      ids = value;
      return this;
    }

    /**
     * Maximum number of objects.
     *
     * @param value the value
     * @return this builder
     */
    public Builder limit(Long value) {
      limit = value;
      return this;
    }

    /**
     * New maximum number of retries for each job.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxRetries(Integer value) {
      maxRetries = value;
      return this;
    }

    /**
     * Sets priority.
     *
     * @param value the value
     * @return this builder
     */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /**
     * Maximum number of objects changed per second.
     *
     * @param value the value
     * @return this builder
     */
    public Builder ratePerSecond(Integer value) {
      ratePerSecond = value;
      return this;
    }

    /**
     * Reason, at most 500 characters. Kept with the operation and in the audit log.
     *
     * @param value the value
     * @return this builder
     */
    public Builder reason(String value) {
      reason = value;
      return this;
    }

    /**
     * Stops when more than this fraction of the objects failed, from 0 to 1.
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
     * @return the BulkRequeueRequest
     */
    public BulkRequeueRequest build() {
      return new BulkRequeueRequest(all, canary, data, dryRun, filter, ids, limit, maxRetries, priority, ratePerSecond, reason, stopOnFailureRate);
    }
  }
}
