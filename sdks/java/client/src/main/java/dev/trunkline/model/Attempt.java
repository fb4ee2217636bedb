// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * One attempt of a job.
 *
 * @param attemptNumber Attempt number, from 1.
 * @param durationMs durationMs. May be null.
 * @param error error. May be null.
 * @param finishedAt finishedAt. May be null.
 * @param startedAt startedAt.
 * @param status status.
 * @param workerId workerId.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Attempt(
    Integer attemptNumber,
    Long durationMs,
    JobError error,
    Instant finishedAt,
    Instant startedAt,
    AttemptStatus status,
    String workerId) {}
