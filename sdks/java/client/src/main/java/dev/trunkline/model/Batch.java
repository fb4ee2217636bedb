// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A bulk operation.
 *
 * @param actor Who started it.
 * @param createdAt createdAt.
 * @param done Number of changed objects.
 * @param endedBadly Number of changed objects whose resulting job, execution or delivery failed.
 * @param failed Number of objects that could not be changed.
 * @param finishedAt finishedAt. May be null.
 * @param id id.
 * @param kind Kind of operation, such as <code>dead_letters.requeue</code>.
 * @param pending Number of changed objects whose resulting job, execution or delivery has not ended.
 * @param reason reason. May be null.
 * @param request The original request.
 * @param skipped Number of objects that no longer existed or no longer matched.
 * @param status status.
 * @param statusReason Reason for the status: <code>canary</code>, <code>operator</code>, <code>failure_rate</code> or <code>error</code>. May be null.
 * @param tenant tenant. May be null.
 * @param total Number of objects. It grows while the operation is <code>preparing</code>.
 * @param updatedAt updatedAt.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Batch(
    String actor,
    Instant createdAt,
    Long done,
    Long endedBadly,
    Long failed,
    Instant finishedAt,
    String id,
    String kind,
    Long pending,
    String reason,
    JsonNode request,
    Long skipped,
    BatchStatus status,
    String statusReason,
    String tenant,
    Long total,
    Instant updatedAt) {}
