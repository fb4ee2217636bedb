// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * Quotas to change: a number, <code>"unlimited"</code>, or null for the default.
 *
 * @param deliveryBytes deliveryBytes. May be null.
 * @param historyRows historyRows. May be null.
 * @param idempotencyKeys idempotencyKeys. May be null.
 * @param openExecutions openExecutions. May be null.
 * @param openJobs openJobs. May be null.
 * @param payloadBytes payloadBytes. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantQuotasRequest(
    Map<String, JsonNode> deliveryBytes,
    Map<String, JsonNode> historyRows,
    Map<String, JsonNode> idempotencyKeys,
    Map<String, JsonNode> openExecutions,
    Map<String, JsonNode> openJobs,
    Map<String, JsonNode> payloadBytes) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a TenantQuotasRequest. */
  public static final class Builder {
    private Map<String, JsonNode> deliveryBytes;
    private Map<String, JsonNode> historyRows;
    private Map<String, JsonNode> idempotencyKeys;
    private Map<String, JsonNode> openExecutions;
    private Map<String, JsonNode> openJobs;
    private Map<String, JsonNode> payloadBytes;

    private Builder() {}

    /**
     * Sets deliveryBytes.
     *
     * @param value the value
     * @return this builder
     */
    public Builder deliveryBytes(Map<String, JsonNode> value) {
      deliveryBytes = value;
      return this;
    }

    /**
     * Sets historyRows.
     *
     * @param value the value
     * @return this builder
     */
    public Builder historyRows(Map<String, JsonNode> value) {
      historyRows = value;
      return this;
    }

    /**
     * Sets idempotencyKeys.
     *
     * @param value the value
     * @return this builder
     */
    public Builder idempotencyKeys(Map<String, JsonNode> value) {
      idempotencyKeys = value;
      return this;
    }

    /**
     * Sets openExecutions.
     *
     * @param value the value
     * @return this builder
     */
    public Builder openExecutions(Map<String, JsonNode> value) {
      openExecutions = value;
      return this;
    }

    /**
     * Sets openJobs.
     *
     * @param value the value
     * @return this builder
     */
    public Builder openJobs(Map<String, JsonNode> value) {
      openJobs = value;
      return this;
    }

    /**
     * Sets payloadBytes.
     *
     * @param value the value
     * @return this builder
     */
    public Builder payloadBytes(Map<String, JsonNode> value) {
      payloadBytes = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the TenantQuotasRequest
     */
    public TenantQuotasRequest build() {
      return new TenantQuotasRequest(deliveryBytes, historyRows, idempotencyKeys, openExecutions, openJobs, payloadBytes);
    }
  }
}
