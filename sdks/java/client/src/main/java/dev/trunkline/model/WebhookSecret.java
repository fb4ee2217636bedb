// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A secret of an endpoint, without its value.
 *
 * @param createdAt createdAt.
 * @param expiresAt Expiry time; absent for the current secret. May be null.
 * @param id id.
 * @param openable Whether the server has the encryption key of the secret.
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
