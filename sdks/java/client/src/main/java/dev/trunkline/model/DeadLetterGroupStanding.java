// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * State of a group of dead letters, with the last decision about it.
 *
 * @param decidedAt decidedAt. May be null.
 * @param decidedBy Who made the last decision. May be null.
 * @param fingerprint fingerprint.
 * @param note note. May be null.
 * @param reopened Whether a resolved or ignored group reopened automatically.
 * @param state state.
 * @param until When an ignored group reopens. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterGroupStanding(
    Instant decidedAt,
    String decidedBy,
    String fingerprint,
    String note,
    Boolean reopened,
    DeadLetterGroupState state,
    DeadLetterGroupUntil until) {}
