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
 * @param expiresAt Expiry time. May be null.
 * @param groups Groups that the key belongs to in user tasks. May be null.
 * @param id id.
 * @param lastUsedAt When it was last used, accurate to about a minute. May be null.
 * @param name name.
 * @param networks Allowed client networks and addresses (default: any). May be null.
 * @param payloads Whether responses include payloads.
 * @param person User that the key represents in user tasks. May be null.
 * @param prefix First characters of the secret, to identify the key.
 * @param previousUntil Expiry time of the previous secret after a rotation. May be null.
 * @param revokedAt revokedAt. May be null.
 * @param role role.
 * @param rotatedAt When its secret was last changed. May be null.
 * @param scopes Scopes that restrict the role (default: everything the role allows). May be null.
 * @param tenant tenant. May be null.
 * @param key The secret, shown only in this response; null when the call is retried with its idempotency key. May be null.
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
