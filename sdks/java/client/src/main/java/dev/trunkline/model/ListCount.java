// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Number of matching objects.
 *
 * @param exact Whether <code>value</code> is exact. Otherwise it is a lower bound, because counting is bounded.
 * @param value Number of matches, at most 10,000.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ListCount(
    Boolean exact,
    Long value) {}
