// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A valid definition that was not registered.
 *
 * @param contentHash SHA-256 (hex) of the definition as JSON with sorted keys.
 * @param name name.
 * @param valid Always true; an invalid definition returns status 422.
 * @param version version.
 * @param warnings Warnings. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ValidatedWorkflow(
    String contentHash,
    String name,
    Boolean valid,
    Integer version,
    List<Fault> warnings) {}
