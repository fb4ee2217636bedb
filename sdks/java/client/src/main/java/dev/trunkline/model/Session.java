// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Who calls.
 *
 * @param actor The id of the API key, or <code>loopback</code> for a caller on this machine while there are no keys.
 * @param csrfToken What requests of this session that change something repeat in <code>X-CSRF-Token</code>. Only where there is a session. May be null.
 * @param expiresAt When the session ends. Only where there is one. May be null.
 * @param role What the caller may do.
 * @param tenant The tenant that the caller is bound to. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Session(
    String actor,
    String csrfToken,
    Instant expiresAt,
    Role role,
    String tenant) {}
