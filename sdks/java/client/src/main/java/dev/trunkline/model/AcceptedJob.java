// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * The outcome of one job.
 *
 * @param id id.
 * @param leaseExpiresAt Expiry time of the lease unless a heartbeat renews it. Present if the outcome is <code>ok</code>. May be null.
 * @param leaseToken Lease (fencing) token, required in every report. Keep it secret. Present if the outcome is <code>ok</code>. May be null.
 * @param outcome outcome.
 * @param progress Last progress reported by an earlier attempt. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AcceptedJob(
    String id,
    Instant leaseExpiresAt,
    String leaseToken,
    AcceptOutcome outcome,
    JsonNode progress) {}
