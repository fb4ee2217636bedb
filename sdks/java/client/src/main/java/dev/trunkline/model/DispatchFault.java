// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A failure to publish a message.
 *
 * @param at at.
 * @param reason <code>broker_away</code>, <code>queue_full</code>, <code>not_acknowledged</code>, or the code of dead letters, such as <code>message_too_large</code>.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchFault(
    Instant at,
    String reason) {}
