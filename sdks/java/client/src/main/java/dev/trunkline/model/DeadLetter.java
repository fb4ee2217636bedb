// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A job that failed permanently.
 *
 * @param archiveReason archiveReason. May be null.
 * @param attemptCount Number of attempts.
 * @param attempts Attempts, oldest first. Absent in lists. May be null.
 * @param attributes Searchable attributes by name. May be null.
 * @param data Payload of the job. Lists omit payloads above 4 KiB; read the dead letter instead. May be null.
 * @param diedAt diedAt.
 * @param error The last error.
 * @param executionId executionId. May be null.
 * @param fingerprint Fingerprint that groups failures of the same kind.
 * @param id id.
 * @param jobId jobId.
 * @param jobType jobType.
 * @param nodeId nodeId. May be null.
 * @param omitted Payloads larger than <code>maxPayload</code>, which are null here. May be null.
 * @param priority priority.
 * @param queue queue.
 * @param reason Reason for the permanent failure.
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
    Map<String, JsonNode> attributes,
    JsonNode data,
    Instant diedAt,
    JobError error,
    String executionId,
    String fingerprint,
    String id,
    String jobId,
    String jobType,
    String nodeId,
    List<OmittedPayload> omitted,
    Priority priority,
    QueueName queue,
    DeadReason reason,
    Instant resolvedAt,
    DeadLetterStatus status,
    String tenant,
    String workflow) {}
