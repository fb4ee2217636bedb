// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A group of dead letters with the same kind of error.
 *
 * @param count Number of open dead letters.
 * @param decidedAt decidedAt. May be null.
 * @param decidedBy Who made the last decision. May be null.
 * @param error Error of the newest dead letter.
 * @param fingerprint fingerprint.
 * @param firstAt firstAt.
 * @param jobType jobType.
 * @param lastAt lastAt.
 * @param note note. May be null.
 * @param reopened Whether a resolved or ignored group reopened automatically.
 * @param state state.
 * @param tenantCount Number of tenants with open dead letters.
 * @param tenants The most affected tenants, at most ten.
 * @param trend Permanent failures in each hour of the last day, oldest first; the last is the current hour.
 * @param until When an ignored group reopens. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterGroup(
    Long count,
    Instant decidedAt,
    String decidedBy,
    JobError error,
    String fingerprint,
    Instant firstAt,
    String jobType,
    Instant lastAt,
    String note,
    Boolean reopened,
    DeadLetterGroupState state,
    Long tenantCount,
    List<DeadLetterGroupTenant> tenants,
    List<Long> trend,
    DeadLetterGroupUntil until) {}
