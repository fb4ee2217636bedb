// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The parent of an execution.
 *
 * @param executionId executionId.
 * @param nodeId Node that started the execution, or the item of a <code>MAP</code> such as <code>book[3]</code>.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Parent(
    String executionId,
    String nodeId) {}
