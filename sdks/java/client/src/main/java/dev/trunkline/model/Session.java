// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The current caller.
 *
 * @param actor API key ID, <code>oidc:</code> and the subject of a token, or <code>loopback</code> for a local caller while no keys exist.
 * @param csrfToken CSRF token that mutating requests send in <code>X-CSRF-Token</code>. Only for sessions. May be null.
 * @param expiresAt Expiry time of the session. Only for sessions. May be null.
 * @param role Role of the caller.
 * @param tenant Tenant that the caller is bound to. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Session(
    String actor,
    String csrfToken,
    Instant expiresAt,
    Role role,
    String tenant) {}
