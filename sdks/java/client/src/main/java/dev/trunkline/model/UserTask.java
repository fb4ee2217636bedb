// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A user task.
 *
 * @param assignee The person who has to do it. May be null.
 * @param claimedAt When it was claimed. May be null.
 * @param claimedBy The person who has claimed it, or the id of a key that stands for none. May be null.
 * @param closedAt When it was closed. May be null.
 * @param completedBy The id of the key with which it was done. May be null.
 * @param dueAt When it should be done. May be null.
 * @param escalatedAt When it was handed on. May be null.
 * @param executionId executionId.
 * @param form The JSON Schema of what is submitted. May be null.
 * @param group The group of which somebody has to do it. May be null.
 * @param input What the person is told. May be null.
 * @param nodeId nodeId.
 * @param openedAt openedAt.
 * @param round Which round of the node, from 1; a retry or a <code>repeat</code> opens another task.
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
    Instant openedAt,
    Integer round,
    UserTaskStatus status,
    String tenant,
    String workflow) {}
