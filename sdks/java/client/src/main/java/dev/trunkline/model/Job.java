// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A job.
 *
 * @param attempts Its attempts, oldest first. Not in lists. May be null.
 * @param backoff backoff.
 * @param completedAt completedAt. May be null.
 * @param concurrencyKey concurrencyKey. May be null.
 * @param createdAt createdAt.
 * @param data The payload. Not in lists where it has more than 4 KiB: ask for the job. May be null.
 * @param error The last error. May be null.
 * @param executionId executionId. May be null.
 * @param id id.
 * @param jobType jobType.
 * @param leaseExpiresAt The end of its lease, while it is leased. May be null.
 * @param maxRetries maxRetries.
 * @param nodeId nodeId. May be null.
 * @param position Its place in its lane.
 * @param priority priority.
 * @param processedAt When the last attempt started. May be null.
 * @param progress What the worker last said of how far it is. May be null.
 * @param queue queue.
 * @param result result. May be null.
 * @param retryCount retryCount.
 * @param runAt When it may (next) run.
 * @param status status.
 * @param tags tags. May be null.
 * @param tenant tenant.
 * @param timeout timeout. May be null.
 * @param traceparent traceparent. May be null.
 * @param uniqueKey uniqueKey. May be null.
 * @param workerId Who holds or held it last. May be null.
 * @param workflow The workflow that it counts against. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Job(
    List<Attempt> attempts,
    Backoff backoff,
    Instant completedAt,
    String concurrencyKey,
    Instant createdAt,
    JsonNode data,
    JobError error,
    String executionId,
    String id,
    String jobType,
    Instant leaseExpiresAt,
    Integer maxRetries,
    String nodeId,
    Long position,
    Priority priority,
    Instant processedAt,
    JsonNode progress,
    QueueName queue,
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
