// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A line of the timeline of an execution.
 *
 * @param at at.
 * @param detail A sentence more. May be null.
 * @param kind A stable word.
 * @param nodeId nodeId. May be null.
 * @param position position.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TimelineEvent(
    Instant at,
    String detail,
    String kind,
    String nodeId,
    Long position) {}
