// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The figures for one minute or one hour. Durations are in milliseconds, interpolated within histogram buckets.
 *
 * @param at Start of the minute or hour.
 * @param claimed Attempts that started.
 * @param completed Jobs that completed.
 * @param deadLettered Jobs that became dead letters.
 * @param endToEndP50 Median time of jobs (with <code>queue=workflow-execution</code>: of executions) from creation to end; null if none ended. May be null.
 * @param endToEndP95 endToEndP95. May be null.
 * @param endToEndP99 endToEndP99. May be null.
 * @param enqueued Jobs that were enqueued.
 * @param failed Attempts that failed, including final ones.
 * @param oldestAgeMs Age of the oldest queued job at the last count.
 * @param processing Leased jobs at the last count.
 * @param queued Queued jobs at the last count.
 * @param runP50 Median run time of attempts; null if none ended. An attempt of an execution ends when the execution is parked or ends. May be null.
 * @param runP95 runP95. May be null.
 * @param runP99 runP99. May be null.
 * @param waitP50 Median wait from claimable to claimed; null if no job was claimed. May be null.
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
    Long endToEndP50,
    Long endToEndP95,
    Long endToEndP99,
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
