// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * One error of an invalid request.
 *
 * @param length With <code>query_invalid</code> and <code>attribute_undeclared</code>: length of the invalid part, in code points. May be null.
 * @param message What is wrong and what is expected.
 * @param pointer JSON pointer into the body, or <code>/</code> and the name of the query parameter.
 * @param position With <code>query_invalid</code> and <code>attribute_undeclared</code>: start of the invalid part of the query, in code points from 0. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Fault(
    Integer length,
    String message,
    String pointer,
    Integer position) {}
