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
 * @param at at.
 * @param detail detail. May be null.
 * @param id id.
 * @param subject To what.
 * @param tenant tenant. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AuditLine(
    String action,
    String actor,
    Instant at,
    JsonNode detail,
    String id,
    String subject,
    String tenant) {}
