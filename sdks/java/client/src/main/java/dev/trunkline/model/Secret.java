// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A secret without its value.
 *
 * @param createdAt createdAt.
 * @param hosts Hosts that may receive the secret.
 * @param name name.
 * @param provider Source of the value: <code>store</code>, <code>environment</code>, <code>file</code> or <code>vault</code>.
 * @param reference Name of the environment variable or file, or path in the secret manager. May be null.
 * @param tenant tenant.
 * @param updatedAt When its value, source or hosts last changed.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Secret(
    Instant createdAt,
    List<String> hosts,
    String name,
    String provider,
    String reference,
    String tenant,
    Instant updatedAt) {}
