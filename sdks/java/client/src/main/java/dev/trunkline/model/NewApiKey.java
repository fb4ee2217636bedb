// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A new API key, with its secret.
 *
 * @param createdAt createdAt.
 * @param expiresAt From when on it no longer works. May be null.
 * @param groups The groups that it belongs to. May be null.
 * @param id id.
 * @param lastUsedAt When it was last used, to about a minute. May be null.
 * @param name name.
 * @param networks From where it may be used; from everywhere where absent. May be null.
 * @param payloads Whether answers to it hold payloads.
 * @param person The person that it stands for. May be null.
 * @param prefix The first characters of the secret, to tell keys apart.
 * @param previousUntil Until when the secret of before the last rotation holds. May be null.
 * @param revokedAt revokedAt. May be null.
 * @param role role.
 * @param rotatedAt When its secret was last changed. May be null.
 * @param scopes What it may do of what its role may; all of it where absent. May be null.
 * @param tenant tenant. May be null.
 * @param key The secret, shown in this answer only; null when the call is repeated under its idempotency key. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NewApiKey(
    Instant createdAt,
    Instant expiresAt,
    List<String> groups,
    String id,
    Instant lastUsedAt,
    String name,
    List<String> networks,
    Boolean payloads,
    String person,
    String prefix,
    Instant previousUntil,
    Instant revokedAt,
    Role role,
    Instant rotatedAt,
    List<KeyScope> scopes,
    String tenant,
    String key) {}
