// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The outcome of one report.
 *
 * @param id id.
 * @param leaseExpiresAt New expiry time of the lease, after a heartbeat. May be null.
 * @param outcome outcome.
 * @param reason Reason for rejecting the report. The lease stays valid. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Outcome(
    String id,
    Instant leaseExpiresAt,
    LeaseOutcome outcome,
    String reason) {}
