// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The server, as its operator labels it.
 *
 * @param color Color of the environment, such as <code>#b91c1c</code>. May be null.
 * @param environment Name of the environment, such as <code>production</code>. May be null.
 * @param readOnly Whether the console is read-only.
 * @param version Version.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MeServer(
    String color,
    String environment,
    Boolean readOnly,
    String version) {}
