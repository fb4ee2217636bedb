// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A job that failed for good.
 *
 * @param archiveReason archiveReason. May be null.
 * @param attemptCount How many attempts it took.
 * @param attempts The attempts, oldest first. Not in lists. May be null.
 * @param data The payload with which it died. Not in lists where it has more than 4 KiB: ask for the dead letter. May be null.
 * @param diedAt diedAt.
 * @param error The last error.
 * @param executionId executionId. May be null.
 * @param fingerprint Groups failures of the same kind.
 * @param id id.
 * @param jobId jobId.
 * @param jobType jobType.
 * @param nodeId nodeId. May be null.
 * @param priority priority.
 * @param queue queue.
 * @param reason Why it died.
 * @param resolvedAt When it was requeued or archived. May be null.
 * @param status status.
 * @param tenant tenant.
 * @param workflow workflow. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetter(
    String archiveReason,
    Integer attemptCount,
    List<Attempt> attempts,
    JsonNode data,
    Instant diedAt,
    JobError error,
    String executionId,
    String fingerprint,
    String id,
    String jobId,
    String jobType,
    String nodeId,
    Priority priority,
    QueueName queue,
    DeadReason reason,
    Instant resolvedAt,
    DeadLetterStatus status,
    String tenant,
    String workflow) {}
