// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The figures of a minute or an hour. Durations are milliseconds, interpolated within the buckets of a histogram.
 *
 * @param at When it begins.
 * @param claimed Attempts that started.
 * @param completed Jobs that completed.
 * @param deadLettered Jobs that became dead letters.
 * @param enqueued Jobs that were stored.
 * @param failed Attempts that failed, including final ones.
 * @param oldestAgeMs Age of the oldest queued job when they were last counted.
 * @param processing Leased jobs when they were last counted.
 * @param queued Queued jobs when they were last counted.
 * @param runP50 Median run of attempts; null if none ended. May be null.
 * @param runP95 runP95. May be null.
 * @param runP99 runP99. May be null.
 * @param waitP50 Median wait from claimable to claimed; null if nothing was claimed. May be null.
 * @param waitP95 waitP95. May be null.
 * @param waitP99 waitP99. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StatPoint(
    Instant at,
    Long claimed,
    Long completed,
    Long deadLettered,
    Long enqueued,
    Long failed,
    Long oldestAgeMs,
    Long processing,
    Long queued,
    Long runP50,
    Long runP95,
    Long runP99,
    Long waitP50,
    Long waitP95,
    Long waitP99) {}
