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
 * @param executionId executionId. May be null.
 * @param id id.
 * @param jobType jobType.
 * @param leaseExpiresAt When the lease ends unless a heartbeat renews it.
 * @param leaseToken The proof of the lease, to be sent with every report. A secret of this worker.
 * @param nodeId nodeId. May be null.
 * @param tenant tenant.
 * @param traceparent traceparent. May be null.
 * @param workflow workflow. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PolledJob(
    Integer attempt,
    JsonNode data,
    String executionId,
    String id,
    String jobType,
    Instant leaseExpiresAt,
    String leaseToken,
    String nodeId,
    String tenant,
    String traceparent,
    String workflow) {}
