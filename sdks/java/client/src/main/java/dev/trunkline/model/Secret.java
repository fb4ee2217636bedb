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
 * @param hosts The hosts that it may be sent to.
 * @param name name.
 * @param provider <code>store</code>, <code>environment</code> or <code>file</code>.
 * @param reference The variable or the file. May be null.
 * @param tenant tenant.
 * @param updatedAt When its value, its place or its hosts were last changed.
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
