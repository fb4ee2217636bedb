// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The result of one item.
 *
 * @param commandPosition Position of the signal, for <code>GET /v1/commands/{position}</code>. May be null.
 * @param existing True if it already exists; absent for a new one. May be null.
 * @param id id. May be null.
 * @param jobId Its job on <code>workflow-execution</code>. May be null.
 * @param position Queue position of the job: lower positions of a lane are processed first. May be null.
 * @param replaces The execution that was cancelled for this one. May be null.
 * @param status status. May be null.
 * @param error The error. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BatchResultCreatedExecution(
    Long commandPosition,
    Boolean existing,
    String id,
    String jobId,
    Long position,
    String replaces,
    ExecutionStatus status,
    Problem error) {}
