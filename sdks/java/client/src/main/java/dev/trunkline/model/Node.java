// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A node of an execution.
 *
 * @param attempts Number of attempts so far.
 * @param callbackUrl One-time callback URL of a <code>WAIT_WEBHOOK</code> node until it is used. Hidden from read-only keys. May be null.
 * @param error error. May be null.
 * @param finishedAt finishedAt. May be null.
 * @param input input. May be null.
 * @param mapItems Progress of a <code>MAP</code>, once it has started. May be null.
 * @param nodeId Node ID; a compensation is <code>charge:compensate</code>, an item of a <code>MAP</code> is <code>notify[17]</code>.
 * @param omitted Payloads larger than <code>maxPayload</code>, which are null here. May be null.
 * @param output output. May be null.
 * @param startedAt startedAt. May be null.
 * @param status status.
 * @param type Node type, such as <code>SERVICE_TASK</code>, <code>TIMER</code> or <code>MAP</code>.
 * @param waitsFor What the node waits for, while it is <code>WAITING</code>. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Node(
    Integer attempts,
    String callbackUrl,
    JobError error,
    Instant finishedAt,
    JsonNode input,
    MapItems mapItems,
    String nodeId,
    List<OmittedPayload> omitted,
    JsonNode output,
    Instant startedAt,
    NodeStatus status,
    String type,
    NodeWait waitsFor) {}
