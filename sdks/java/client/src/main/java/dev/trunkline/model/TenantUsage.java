// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The usage of a tenant.
 *
 * @param apiKeys API keys that are bound to the tenant, including revoked ones.
 * @param asOf When the usage was counted. A large <code>historyRows</code> is counted again after at most a minute.
 * @param definitionBytes Bytes of workflow versions, schedule inputs and webhook configurations.
 * @param deliveryBytes Bytes of stored webhook deliveries: each counts its body plus 4 KiB.
 * @param historyRows Finished jobs and executions within their retention.
 * @param idempotencyKeys Responses stored for idempotency keys.
 * @param logBytes Bytes of stored log lines of jobs: each counts its message, its fields and 128 bytes.
 * @param openExecutions Unfinished executions.
 * @param openJobs Unfinished jobs.
 * @param payloadBytes Bytes of payloads of unfinished jobs and inputs of unfinished executions.
 * @param schedules Schedules.
 * @param starts Starts of jobs on <code>workflow-node</code>, retries included.
 * @param tenant tenant.
 * @param waitingStartBytes Bytes of waiting starts of triggers: inputs and gathered events, and 1 KiB for each start.
 * @param webhooks Webhooks.
 * @param workerSeconds Seconds that attempts of jobs on <code>workflow-node</code> ran, by when they ended.
 * @param workflowVersions Workflow versions of the tenant, without shared workflows.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantUsage(
    UsageFigure apiKeys,
    Instant asOf,
    UsageFigure definitionBytes,
    UsageFigure deliveryBytes,
    UsageFigure historyRows,
    UsageFigure idempotencyKeys,
    UsageFigure logBytes,
    UsageFigure openExecutions,
    UsageFigure openJobs,
    UsageFigure payloadBytes,
    UsageFigure schedules,
    RecentFigure starts,
    String tenant,
    UsageFigure waitingStartBytes,
    UsageFigure webhooks,
    RecentFigure workerSeconds,
    UsageFigure workflowVersions) {}
