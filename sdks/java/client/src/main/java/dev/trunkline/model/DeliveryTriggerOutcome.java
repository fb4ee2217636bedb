// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The result of a trigger.
 *
 * @param error error. May be null.
 * @param executionId executionId. May be null.
 * @param result <code>started</code>, <code>no_match</code> or <code>error</code>.
 * @param triggerId triggerId.
 * @param workflow workflow.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeliveryTriggerOutcome(
    DeliveryTriggerError error,
    String executionId,
    String result,
    String triggerId,
    String workflow) {}
