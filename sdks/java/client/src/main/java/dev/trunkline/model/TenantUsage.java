// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The usage of a tenant.
 *
 * @param asOf When the usage was counted. A large <code>historyRows</code> is counted again after at most a minute.
 * @param deliveryBytes Bytes of stored webhook deliveries: each counts its body plus 4 KiB.
 * @param historyRows Finished jobs and executions within their retention.
 * @param idempotencyKeys Responses stored for idempotency keys.
 * @param openExecutions Unfinished executions.
 * @param openJobs Unfinished jobs.
 * @param payloadBytes Bytes of payloads of unfinished jobs and inputs of unfinished executions.
 * @param starts Starts of jobs on <code>workflow-node</code>, retries included.
 * @param tenant tenant.
 * @param workerSeconds Seconds that attempts of jobs on <code>workflow-node</code> ran, by when they ended.
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
    RecentFigure starts,
    String tenant,
    RecentFigure workerSeconds) {}
