// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A user task.
 *
 * @param assignee Assignee. May be null.
 * @param claimedAt When it was claimed. May be null.
 * @param claimedBy User who has claimed the task, or the ID of an API key without a user. May be null.
 * @param closedAt When the task was closed. May be null.
 * @param completedBy ID of the API key that completed the task. May be null.
 * @param dueAt Due time. May be null.
 * @param escalatedAt When the task was escalated. May be null.
 * @param executionId executionId.
 * @param form JSON Schema of the output. May be null.
 * @param group Candidate group. May be null.
 * @param input Input of the task, shown to the user. Lists omit inputs above 4 KiB; read the task instead. May be null.
 * @param nodeId nodeId.
 * @param omitted The input, if it is larger than <code>maxPayload</code> and therefore null here. May be null.
 * @param openedAt openedAt.
 * @param round Round of the node, from 1; a retry or a <code>repeat</code> creates a new task.
 * @param status status.
 * @param tenant tenant.
 * @param workflow workflow.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record UserTask(
    String assignee,
    Instant claimedAt,
    String claimedBy,
    Instant closedAt,
    String completedBy,
    Instant dueAt,
    Instant escalatedAt,
    String executionId,
    JsonNode form,
    String group,
    JsonNode input,
    String nodeId,
    List<OmittedPayload> omitted,
    Instant openedAt,
    Integer round,
    UserTaskStatus status,
    String tenant,
    String workflow) {}
