// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A command to an execution.
 *
 * @param executionId executionId.
 * @param intent Kind of command, such as <code>cancel</code> or <code>retry</code>.
 * @param position position.
 * @param reason Reason for refusing the command. May be null.
 * @param status status.
 * @param step Step of the execution that applied or refused the command, from 1. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Command(
    String executionId,
    String intent,
    Long position,
    String reason,
    CommandStatus status,
    Long step) {}
