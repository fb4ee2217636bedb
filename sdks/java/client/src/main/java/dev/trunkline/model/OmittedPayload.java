// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A payload that was left out.
 *
 * @param bytes Size of its JSON text, or of the body of a delivery, in bytes.
 * @param field Name of the field, which is null instead.
 * @param href Path of the payload.
 * @param sha256 SHA-256 of the same bytes, in hexadecimal.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record OmittedPayload(
    Integer bytes,
    String field,
    String href,
    String sha256) {}
