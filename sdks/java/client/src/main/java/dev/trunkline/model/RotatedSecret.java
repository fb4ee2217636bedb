// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An endpoint whose secret was rotated.
 *
 * @param secret The secret that was made, shown in this answer only. May be null.
 * @param webhook How the endpoint is now.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RotatedSecret(
    String secret,
    Webhook webhook) {}
