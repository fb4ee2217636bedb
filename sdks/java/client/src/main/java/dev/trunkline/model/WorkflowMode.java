// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The mode of a workflow.
 *
 * @param name name.
 * @param newRuns Policy for new executions while the workflow is paused. May be null.
 * @param paused Whether the workflow is paused.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkflowMode(
    String name,
    NewRuns newRuns,
    Boolean paused) {}
