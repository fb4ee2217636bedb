// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An accepted execution.
 *
 * @param commandPosition Position of the signal, for <code>GET /v1/commands/{position}</code>. May be null.
 * @param existing True if it already exists; absent for a new one. May be null.
 * @param id id.
 * @param jobId Its job on <code>workflow-execution</code>.
 * @param position Queue position of the job: lower positions of a lane are processed first.
 * @param replaces The execution that was cancelled for this one. May be null.
 * @param status status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CreatedExecution(
    Long commandPosition,
    Boolean existing,
    String id,
    String jobId,
    Long position,
    String replaces,
    ExecutionStatus status) {}
