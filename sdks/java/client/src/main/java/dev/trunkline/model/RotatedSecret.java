// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An endpoint with a rotated secret.
 *
 * @param secret The generated secret, shown only in this response. May be null.
 * @param webhook The endpoint after the rotation.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RotatedSecret(
    String secret,
    Webhook webhook) {}
