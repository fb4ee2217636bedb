// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A declared attribute.
 *
 * @param path Path to the value in a payload. May be null.
 * @param since When it was declared. Objects created earlier do not have it.
 * @param source Where it is declared: <code>jobType</code>, <code>workflow</code>, <code>definition</code> or <code>tenant</code>.
 * @param type type.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Attribute(
    String path,
    Instant since,
    String source,
    AttributeType type) {}
