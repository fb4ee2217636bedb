// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The result of a trigger.
 *
 * @param error error. May be null.
 * @param executionId executionId. May be null.
 * @param putOffUntil Earliest expected start time, estimated when the trigger was evaluated. Present while the start is put off. May be null.
 * @param result <code>started</code>, <code>started_before</code>, <code>joined</code>, <code>exists</code>, <code>no_match</code> or <code>error</code>; <code>debounced</code>, <code>throttled</code> or <code>batched</code> while the start is put off.
 * @param triggerId triggerId.
 * @param workflow workflow.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeliveryTriggerOutcome(
    DeliveryTriggerError error,
    String executionId,
    Instant putOffUntil,
    String result,
    String triggerId,
    String workflow) {}
