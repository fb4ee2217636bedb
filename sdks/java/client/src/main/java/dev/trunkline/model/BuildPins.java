// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * All pinned job types.
 *
 * @param items The pins, by job type and tenant.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BuildPins(
    List<BuildPin> items) {}
