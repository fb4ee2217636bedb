// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * An API key without its secret.
 *
 * @param createdAt createdAt.
 * @param id id.
 * @param name name.
 * @param prefix The first characters of the secret, to tell keys apart.
 * @param revokedAt revokedAt. May be null.
 * @param role role.
 * @param tenant tenant. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ApiKey(
    Instant createdAt,
    String id,
    String name,
    String prefix,
    Instant revokedAt,
    Role role,
    String tenant) {}
