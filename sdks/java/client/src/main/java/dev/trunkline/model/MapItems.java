// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How far a <code>MAP</code> is.
 *
 * @param completed How many have completed, collected failures included.
 * @param started How many were started.
 * @param total How many items there are.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MapItems(
    Integer completed,
    Integer started,
    Integer total) {}
