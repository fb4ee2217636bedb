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
 * @param deadline Deadline of this attempt if the job has a <code>timeout</code>. Heartbeats do not extend the lease beyond it. May be null.
 * @param executionId executionId. May be null.
 * @param id id.
 * @param idempotencyKey Idempotency key for external systems; the same for every attempt of the job.
 * @param jobType jobType.
 * @param lastError Error of the last failed attempt, if any. May be null.
 * @param leaseExpiresAt Expiry time of the lease unless a heartbeat renews it.
 * @param leaseToken Lease (fencing) token, required in every report. Keep it secret.
 * @param maxRetries Maximum number of retries after a failure.
 * @param nodeId nodeId. May be null.
 * @param progress Last progress reported by an earlier attempt. May be null.
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
