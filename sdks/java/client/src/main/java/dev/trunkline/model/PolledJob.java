// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A leased job.
 *
 * @param attempt The number of this attempt, from 1.
 * @param data data.
 * @param deadline When the time of this attempt is up, where the job has a <code>timeout</code>. No heartbeat carries the lease beyond it. May be null.
 * @param executionId executionId. May be null.
 * @param id id.
 * @param idempotencyKey The same for every attempt of the job: what systems outside are to recognize a repeated effect by.
 * @param jobType jobType.
 * @param lastError The error of the last attempt that failed, if one did. May be null.
 * @param leaseExpiresAt When the lease ends unless a heartbeat renews it.
 * @param leaseToken The token of the lease, to be sent with every report. A secret of this worker.
 * @param maxRetries How often the job is tried again after a failure.
 * @param nodeId nodeId. May be null.
 * @param progress The last progress that an attempt before this one reported. May be null.
 * @param tenant tenant.
 * @param traceparent traceparent. May be null.
 * @param workflow workflow. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PolledJob(
    Integer attempt,
    JsonNode data,
    Instant deadline,
    String executionId,
    String id,
    String idempotencyKey,
    String jobType,
    JobError lastError,
    Instant leaseExpiresAt,
    String leaseToken,
    Integer maxRetries,
    String nodeId,
    JsonNode progress,
    String tenant,
    String traceparent,
    String workflow) {}
