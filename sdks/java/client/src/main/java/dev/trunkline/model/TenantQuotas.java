// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The effective quotas.
 *
 * @param apiKeys apiKeys. May be null.
 * @param definitionBytes definitionBytes. May be null.
 * @param deliveryBytes deliveryBytes. May be null.
 * @param historyRows historyRows. May be null.
 * @param idempotencyKeys Quota of each API key. May be null.
 * @param logBytes logBytes. May be null.
 * @param openExecutions openExecutions. May be null.
 * @param openJobs openJobs. May be null.
 * @param payloadBytes payloadBytes. May be null.
 * @param schedules schedules. May be null.
 * @param waitingStartBytes waitingStartBytes. May be null.
 * @param webhooks webhooks. May be null.
 * @param workflowVersions workflowVersions. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantQuotas(
    Long apiKeys,
    Long definitionBytes,
    Long deliveryBytes,
    Long historyRows,
    Long idempotencyKeys,
    Long logBytes,
    Long openExecutions,
    Long openJobs,
    Long payloadBytes,
    Long schedules,
    Long waitingStartBytes,
    Long webhooks,
    Long workflowVersions) {}
