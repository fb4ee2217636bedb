// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A job.
 *
 * @param attempts Attempts, oldest first. Absent in lists. May be null.
 * @param attributes Searchable attributes by name. May be null.
 * @param backoff backoff.
 * @param completedAt completedAt. May be null.
 * @param concurrencyKey concurrencyKey. May be null.
 * @param createdAt createdAt.
 * @param data Payload. Lists omit payloads above 4 KiB; read the job instead. May be null.
 * @param error The last error. May be null.
 * @param executionId executionId. May be null.
 * @param fingerprint Fingerprint of the last error: the same for failures of the same kind, and for the dead letter. May be null.
 * @param id id.
 * @param jobType jobType.
 * @param leaseExpiresAt Expiry time of the lease, while the job is leased. May be null.
 * @param maxRetries maxRetries.
 * @param nodeId nodeId. May be null.
 * @param offeredUntil Expiry time of the current offer through Kafka, during which the status is <code>QUEUED</code>. May be null.
 * @param omitted Payloads larger than <code>maxPayload</code>, which are null here. May be null.
 * @param payloadDroppedAt When retention dropped the data and the result, which are null from then on. May be null.
 * @param position Queue position within its lane.
 * @param priority priority.
 * @param processedAt When the last attempt started. May be null.
 * @param progress Last progress reported by the worker. May be null.
 * @param queue queue.
 * @param rateKey rateKey. May be null.
 * @param result result. May be null.
 * @param retryCount retryCount.
 * @param runAt Earliest time of the next attempt.
 * @param status status.
 * @param tags tags. May be null.
 * @param tenant tenant.
 * @param timeout timeout. May be null.
 * @param traceparent traceparent. May be null.
 * @param uniqueKey uniqueKey. May be null.
 * @param workerId Worker that holds or last held the lease. May be null.
 * @param workflow Workflow whose limits apply to the job. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Job(
    List<Attempt> attempts,
    Map<String, JsonNode> attributes,
    Backoff backoff,
    Instant completedAt,
    String concurrencyKey,
    Instant createdAt,
    JsonNode data,
    JobError error,
    String executionId,
    String fingerprint,
    String id,
    String jobType,
    Instant leaseExpiresAt,
    Integer maxRetries,
    String nodeId,
    Instant offeredUntil,
    List<OmittedPayload> omitted,
    Instant payloadDroppedAt,
    Long position,
    Priority priority,
    Instant processedAt,
    JsonNode progress,
    QueueName queue,
    String rateKey,
    JsonNode result,
    Integer retryCount,
    Instant runAt,
    JobStatus status,
    List<String> tags,
    String tenant,
    String timeout,
    String traceparent,
    String uniqueKey,
    String workerId,
    String workflow) {}
