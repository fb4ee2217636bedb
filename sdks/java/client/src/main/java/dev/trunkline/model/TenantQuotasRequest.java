// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Quotas to change: a number, <code>"unlimited"</code>, or null for the default.
 *
 * @param deliveryBytes Bytes of deliveries that are kept. May be null.
 * @param historyRows Rows of history that are kept. May be null.
 * @param idempotencyKeys Idempotency keys of each API key. May be null.
 * @param openExecutions Executions that have not ended. May be null.
 * @param openJobs Jobs that have not ended. May be null.
 * @param payloadBytes Bytes of payloads that are kept. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantQuotasRequest(
    JsonNode deliveryBytes,
    JsonNode historyRows,
    JsonNode idempotencyKeys,
    JsonNode openExecutions,
    JsonNode openJobs,
    JsonNode payloadBytes) {
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
    private JsonNode deliveryBytes;
    private JsonNode historyRows;
    private JsonNode idempotencyKeys;
    private JsonNode openExecutions;
    private JsonNode openJobs;
    private JsonNode payloadBytes;

    private Builder() {}

    /**
     * Bytes of deliveries that are kept.
     *
     * @param value the value
     * @return this builder
     */
    public Builder deliveryBytes(JsonNode value) {
      deliveryBytes = value;
      return this;
    }

    /**
     * Rows of history that are kept.
     *
     * @param value the value
     * @return this builder
     */
    public Builder historyRows(JsonNode value) {
      historyRows = value;
      return this;
    }

    /**
     * Idempotency keys of each API key.
     *
     * @param value the value
     * @return this builder
     */
    public Builder idempotencyKeys(JsonNode value) {
      idempotencyKeys = value;
      return this;
    }

    /**
     * Executions that have not ended.
     *
     * @param value the value
     * @return this builder
     */
    public Builder openExecutions(JsonNode value) {
      openExecutions = value;
      return this;
    }

    /**
     * Jobs that have not ended.
     *
     * @param value the value
     * @return this builder
     */
    public Builder openJobs(JsonNode value) {
      openJobs = value;
      return this;
    }

    /**
     * Bytes of payloads that are kept.
     *
     * @param value the value
     * @return this builder
     */
    public Builder payloadBytes(JsonNode value) {
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
