// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * One error of an invalid request.
 *
 * @param message What is wrong and what is expected.
 * @param pointer JSON pointer into the body, or <code>/</code> and the name of the query parameter.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Fault(
    String message,
    String pointer) {}
