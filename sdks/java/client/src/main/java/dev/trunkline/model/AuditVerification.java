// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The result of a verification.
 *
 * @param anchor Last entry that retention has removed.
 * @param firstBad firstBad. May be null.
 * @param from First number of the verified range.
 * @param head Last entry of the chain.
 * @param last Last verified entry; the next range starts after it.
 * @param ok Whether the verified entries are unchanged.
 * @param rows Number of verified entries.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AuditVerification(
    AuditLink anchor,
    AuditFault firstBad,
    Long from,
    AuditLink head,
    AuditLink last,
    Boolean ok,
    Long rows) {}
