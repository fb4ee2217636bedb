// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A round of a node of a simulated execution.
 *
 * @param error error. May be null.
 * @param finishedAt finishedAt. May be null.
 * @param input Input that its handler, child execution or person receives. May be null.
 * @param nodeId Node ID; a compensation is <code>charge:compensate</code>, an item of a <code>MAP</code> is <code>notify[17]</code>.
 * @param output output. May be null.
 * @param round Number of times that the node had been started.
 * @param startedAt startedAt. May be null.
 * @param status status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SimulatedNode(
    JobError error,
    Instant finishedAt,
    JsonNode input,
    String nodeId,
    JsonNode output,
    Integer round,
    Instant startedAt,
    NodeStatus status) {}
