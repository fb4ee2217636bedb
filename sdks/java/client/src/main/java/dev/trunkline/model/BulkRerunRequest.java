// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Executions to rerun.
 *
 * @param all Confirms an empty filter, which matches everything. May be null.
 * @param canary Canary: objects that are changed first. May be null.
 * @param dryRun Dry run: only counts the matches and shows up to ten of them. May be null.
 * @param filter Filter. An empty filter requires <code>all</code>. May be null.
 * @param fromNode Node from which the new executions run. Required.
 * @param ids IDs of the objects, at most 10,000, instead of a filter. May be null.
 * @param input Input of the new executions (default: the input of each original execution). May be null.
 * @param limit Maximum number of objects. May be null.
 * @param ratePerSecond Maximum number of objects changed per second. May be null.
 * @param reason Reason, at most 500 characters. Kept with the operation and in the audit log. May be null.
 * @param stopOnFailureRate Stops when more than this fraction of the objects failed, from 0 to 1. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkRerunRequest(
    Boolean all,
    BulkCanary canary,
    Boolean dryRun,
    BulkFilter filter,
    String fromNode,
    List<String> ids,
    JsonNode input,
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

  /** Builds a BulkRerunRequest. */
  public static final class Builder {
    private Boolean all;
    private BulkCanary canary;
    private Boolean dryRun;
    private BulkFilter filter;
    private String fromNode;
    private List<String> ids;
    private JsonNode input;
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
     * Node from which the new executions run. Required.
     *
     * @param value the value
     * @return this builder
     */
    public Builder fromNode(String value) {
      fromNode = value;
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
     * Input of the new executions (default: the input of each original execution).
     *
     * @param value the value
     * @return this builder
     */
    public Builder input(JsonNode value) {
      input = value;
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
     * @return the BulkRerunRequest
     */
    public BulkRerunRequest build() {
      return new BulkRerunRequest(all, canary, dryRun, filter, fromNode, ids, input, limit, ratePerSecond, reason, stopOnFailureRate);
    }
  }
}
