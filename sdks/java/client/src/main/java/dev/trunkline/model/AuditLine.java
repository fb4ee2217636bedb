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
 * @param actor Actor: API key ID, <code>oidc:</code> and the subject of a token, <code>loopback</code> or <code>system</code>.
 * @param address Client address. May be null.
 * @param after Changed values after the change. May be null.
 * @param at at.
 * @param batch Bulk operation. May be null.
 * @param before Changed values before the change. May be null.
 * @param detail detail. May be null.
 * @param door <code>rest</code>, <code>cli</code>, <code>console</code>, <code>grpc</code> or <code>system</code>. May be null.
 * @param hash SHA-256, in hexadecimal, of the entry without <code>hash</code> as canonical JSON (RFC 8785). May be null.
 * @param id id.
 * @param outcome <code>done</code> or <code>refused</code>. May be null.
 * @param prevHash Hash of the previous entry. May be null.
 * @param reason Reason given by the caller, or reason for the refusal. May be null.
 * @param requestId Request ID. May be null.
 * @param seq Number in the hash chain, from 1; absent until the entry is sealed. May be null.
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
    JsonNode after,
    Instant at,
    String batch,
    JsonNode before,
    JsonNode detail,
    String door,
    String hash,
    String id,
    String outcome,
    String prevHash,
    String reason,
    String requestId,
    Long seq,
    String subject,
    String tenant,
    String userAgent) {}
