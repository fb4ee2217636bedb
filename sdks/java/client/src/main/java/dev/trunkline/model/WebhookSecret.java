// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A secret of an endpoint, without its text.
 *
 * @param createdAt createdAt.
 * @param expiresAt Until when it holds; absent for the current one. May be null.
 * @param id id.
 * @param openable Whether the server has the key that it is sealed with.
 * @param purpose purpose.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookSecret(
    Instant createdAt,
    Instant expiresAt,
    String id,
    Boolean openable,
    WebhookSecretPurpose purpose) {}
