// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * An audit log entry.
 *
 * @param action Action.
 * @param actor Actor: API key ID, <code>loopback</code> or <code>system</code>.
 * @param address Client address. May be null.
 * @param at at.
 * @param detail detail. May be null.
 * @param id id.
 * @param requestId Request ID. May be null.
 * @param subject Target of the action.
 * @param tenant tenant. May be null.
 * @param userAgent User agent of the client. May be null.
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
