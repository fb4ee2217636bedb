// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A timeline entry of a simulated execution.
 *
 * @param at at.
 * @param detail Additional message. May be null.
 * @param kind Stable code of the event.
 * @param nodeId nodeId. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SimulatedEvent(
    Instant at,
    String detail,
    TimelineEventKind kind,
    String nodeId) {}
