// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Whether a workflow is paused.
 *
 * @param name name.
 * @param newRuns What becomes of new runs while it is paused. May be null.
 * @param paused Whether executions of it stay queued.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkflowMode(
    String name,
    NewRuns newRuns,
    Boolean paused) {}
