// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A group of dead letters with the same kind of error.
 *
 * @param count Number of open dead letters.
 * @param error Error of the newest dead letter.
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
