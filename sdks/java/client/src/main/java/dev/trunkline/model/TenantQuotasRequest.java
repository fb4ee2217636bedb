// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Quotas to change: a number, <code>"unlimited"</code>, or null for the default.
 *
 * @param apiKeys API keys, at most 1,000,000. May be null.
 * @param definitionBytes Bytes of workflow versions, schedule inputs and webhook configurations. May be null.
 * @param deliveryBytes Bytes of deliveries that are kept. May be null.
 * @param historyRows Rows of history that are kept. May be null.
 * @param idempotencyKeys Idempotency keys of each API key. May be null.
 * @param logBytes Bytes of stored log lines of jobs. May be null.
 * @param openExecutions Executions that have not ended. May be null.
 * @param openJobs Jobs that have not ended. May be null.
 * @param payloadBytes Bytes of payloads that are kept. May be null.
 * @param schedules Schedules, at most 1,000,000. May be null.
 * @param waitingStartBytes Bytes of waiting starts of triggers. May be null.
 * @param webhooks Webhooks, at most 1,000,000. May be null.
 * @param workflowVersions Workflow versions, at most 1,000,000. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantQuotasRequest(
    JsonNode apiKeys,
    JsonNode definitionBytes,
    JsonNode deliveryBytes,
    JsonNode historyRows,
    JsonNode idempotencyKeys,
    JsonNode logBytes,
    JsonNode openExecutions,
    JsonNode openJobs,
    JsonNode payloadBytes,
    JsonNode schedules,
    JsonNode waitingStartBytes,
    JsonNode webhooks,
    JsonNode workflowVersions) {
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
    private JsonNode apiKeys;
    private JsonNode definitionBytes;
    private JsonNode deliveryBytes;
    private JsonNode historyRows;
    private JsonNode idempotencyKeys;
    private JsonNode logBytes;
    private JsonNode openExecutions;
    private JsonNode openJobs;
    private JsonNode payloadBytes;
    private JsonNode schedules;
    private JsonNode waitingStartBytes;
    private JsonNode webhooks;
    private JsonNode workflowVersions;

    private Builder() {}

    /**
     * API keys, at most 1,000,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder apiKeys(JsonNode value) {
      apiKeys = value;
      return this;
    }

    /**
     * Bytes of workflow versions, schedule inputs and webhook configurations.
     *
     * @param value the value
     * @return this builder
     */
    public Builder definitionBytes(JsonNode value) {
      definitionBytes = value;
      return this;
    }

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
     * Bytes of stored log lines of jobs.
     *
     * @param value the value
     * @return this builder
     */
    public Builder logBytes(JsonNode value) {
      logBytes = value;
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
     * Schedules, at most 1,000,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder schedules(JsonNode value) {
      schedules = value;
      return this;
    }

    /**
     * Bytes of waiting starts of triggers.
     *
     * @param value the value
     * @return this builder
     */
    public Builder waitingStartBytes(JsonNode value) {
      waitingStartBytes = value;
      return this;
    }

    /**
     * Webhooks, at most 1,000,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder webhooks(JsonNode value) {
      webhooks = value;
      return this;
    }

    /**
     * Workflow versions, at most 1,000,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowVersions(JsonNode value) {
      workflowVersions = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the TenantQuotasRequest
     */
    public TenantQuotasRequest build() {
      return new TenantQuotasRequest(apiKeys, definitionBytes, deliveryBytes, historyRows, idempotencyKeys, logBytes, openExecutions, openJobs, payloadBytes, schedules, waitingStartBytes, webhooks, workflowVersions);
    }
  }
}
