// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Something that a simulated execution waits for.
 *
 * @param awaits <code>result</code>, <code>child</code>, <code>signal</code>, <code>user_task</code>, <code>callback</code> or <code>event</code>.
 * @param nodeId Node ID; provide its result under this key.
 * @param signal Name of the signal. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SimulatedWait(
    String awaits,
    String nodeId,
    String signal) {}
