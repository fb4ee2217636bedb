// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Jobs of a queue by what they wait for.
 *
 * @param oldestAgeMs How long the oldest queued job has been claimable; null when there is none. May be null.
 * @param processing Leased.
 * @param queued Waiting for a claim.
 * @param retryWait Waiting for the next try.
 * @param scheduled Waiting for their time.
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
