// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Progress of a <code>MAP</code>.
 *
 * @param completed Number of completed items, including collected failures.
 * @param started Number of started items.
 * @param total Number of items.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MapItems(
    Integer completed,
    Integer started,
    Integer total) {}
