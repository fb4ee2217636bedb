// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A completion.
 *
 * @param count How often it occurred recently. May be null.
 * @param detail detail. May be null.
 * @param kind <code>key</code> or <code>value</code>.
 * @param text text.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Suggestion(
    Long count,
    String detail,
    String kind,
    String text) {}
