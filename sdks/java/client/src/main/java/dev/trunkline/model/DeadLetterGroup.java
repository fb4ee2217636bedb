// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Dead letters of the same kind.
 *
 * @param count How many are open.
 * @param error The error of the newest.
 * @param fingerprint fingerprint.
 * @param firstAt firstAt.
 * @param jobType jobType.
 * @param lastAt lastAt.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterGroup(
    Long count,
    JobError error,
    String fingerprint,
    Instant firstAt,
    String jobType,
    Instant lastAt) {}
