// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The execution that another one is a child of.
 *
 * @param executionId executionId.
 * @param nodeId The node that started it, or the item of a <code>MAP</code> as <code>book[3]</code>.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Parent(
    String executionId,
    String nodeId) {}
