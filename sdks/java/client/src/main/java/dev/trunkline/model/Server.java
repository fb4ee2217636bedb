// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A process of the deployment.
 *
 * @param clockOffsetMs How far the clock of its machine is ahead of the database's, in milliseconds.
 * @param id id.
 * @param lastSeenAt lastSeenAt.
 * @param roles roles.
 * @param startedAt startedAt.
 * @param version version.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Server(
    Long clockOffsetMs,
    String id,
    Instant lastSeenAt,
    List<String> roles,
    Instant startedAt,
    String version) {}
