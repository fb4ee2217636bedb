// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Number of jobs of a queue by state.
 *
 * @param oldestAgeMs How long the oldest queued job has been claimable; null if no job is queued. May be null.
 * @param processing Leased by a worker.
 * @param queued Queued: ready to be claimed.
 * @param retryWait Waiting for a retry.
 * @param scheduled Waiting for their due time.
 * @param waiting Parked executions.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueCounts(
    Long oldestAgeMs,
    Long processing,
    Long queued,
    Long retryWait,
    Long scheduled,
    Long waiting) {}
