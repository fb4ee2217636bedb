// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Map;

/**
 * The status of an execution and its nodes after an entry of its timeline.
 *
 * @param at at.
 * @param kind Code of the entry.
 * @param nodeId Node that the entry is about. May be null.
 * @param nodes Status of each node that has started or ended, by ID; compensations as <code>charge:compensate</code>.
 * @param position Position of the entry.
 * @param status Status of the execution after the entry.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExecutionState(
    Instant at,
    TimelineEventKind kind,
    String nodeId,
    Map<String, NodeStatus> nodes,
    Long position,
    ExecutionStatus status) {}
