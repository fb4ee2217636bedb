// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What became of one item.
 *
 * @param existing Whether it was there already; absent when it is new. May be null.
 * @param id id. May be null.
 * @param jobId Its job on <code>workflow-execution</code>. May be null.
 * @param position The job's place: smaller positions of a lane are served first. May be null.
 * @param status status. May be null.
 * @param error Why. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BatchResultCreatedExecution(
    Boolean existing,
    String id,
    String jobId,
    Long position,
    ExecutionStatus status,
    Problem error) {}
