// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * The state in which a simulated execution ended or waits.
 *
 * @param error Why it failed, if it did. May be null.
 * @param nodes Each round of each node: first rounds that ended, in order, then rounds that wait or never started.
 * @param now The simulated time at that point.
 * @param output Output, if it completed. May be null.
 * @param status Status of the execution: <code>COMPLETED</code>, <code>FAILED</code> or <code>CANCELLED</code>; <code>RUNNING</code> or <code>COMPENSATING</code> if it waits.
 * @param timeline The timeline.
 * @param waitingFor What it waits for; empty if it ended.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Simulation(
    ExecutionError error,
    List<SimulatedNode> nodes,
    Instant now,
    JsonNode output,
    ExecutionStatus status,
    List<SimulatedEvent> timeline,
    List<SimulatedWait> waitingFor) {}
