// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An accepted execution.
 *
 * @param existing Whether it was there already; absent when it is new. May be null.
 * @param id id.
 * @param jobId Its job on <code>workflow-execution</code>.
 * @param position The job's place: smaller positions of a lane are served first.
 * @param status status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CreatedExecution(
    Boolean existing,
    String id,
    String jobId,
    Long position,
    ExecutionStatus status) {}
