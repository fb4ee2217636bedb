// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A line of the audit log.
 *
 * @param action What was done.
 * @param actor A key's id, <code>loopback</code> or <code>system</code>.
 * @param address Where the call came from. May be null.
 * @param at at.
 * @param detail detail. May be null.
 * @param id id.
 * @param requestId The id of the request. May be null.
 * @param subject To what.
 * @param tenant tenant. May be null.
 * @param userAgent What its client called itself. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AuditLine(
    String action,
    String actor,
    String address,
    Instant at,
    JsonNode detail,
    String id,
    String requestId,
    String subject,
    String tenant,
    String userAgent) {}
