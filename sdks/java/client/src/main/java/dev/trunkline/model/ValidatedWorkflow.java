// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A definition that passed every check and was not registered.
 *
 * @param contentHash Hex SHA-256 of the definition as JSON with sorted keys.
 * @param name name.
 * @param valid Always true: faults are a problem with status 422.
 * @param version version.
 * @param warnings What is better done otherwise. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ValidatedWorkflow(
    String contentHash,
    String name,
    Boolean valid,
    Integer version,
    List<Fault> warnings) {}
