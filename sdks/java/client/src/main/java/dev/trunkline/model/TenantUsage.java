// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * What a tenant uses.
 *
 * @param asOf When it was counted.
 * @param deliveryBytes Bytes of deliveries of webhooks that are kept, with 4 KiB for each beside its body.
 * @param historyRows Jobs and executions that have ended and are kept.
 * @param idempotencyKeys Answers kept for repeats.
 * @param openExecutions Executions that have not ended.
 * @param openJobs Jobs that have not ended.
 * @param payloadBytes Bytes of the data of open jobs and of the inputs of open executions.
 * @param tenant tenant.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantUsage(
    Instant asOf,
    UsageFigure deliveryBytes,
    UsageFigure historyRows,
    UsageFigure idempotencyKeys,
    UsageFigure openExecutions,
    UsageFigure openJobs,
    UsageFigure payloadBytes,
    String tenant) {}
