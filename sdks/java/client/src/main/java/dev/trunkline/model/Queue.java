// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * A queue with the statistics of the jobs that the key can see.
 *
 * @param oldestAgeMs How long the oldest queued job has been claimable; null if no job is queued. May be null.
 * @param processing Leased by a worker.
 * @param queued Queued: ready to be claimed.
 * @param retryWait Waiting for a retry.
 * @param scheduled Waiting for their due time.
 * @param waiting Parked executions.
 * @param deadLetters Number of open dead letters.
 * @param errorRate1m Fraction of these jobs that did not complete, from 0 to 1.
 * @param mode mode.
 * @param paused Whether the queue is paused, so that no jobs start.
 * @param queue queue.
 * @param runMs Run time from claimed to settled in the last minute; null if no job ended. May be null.
 * @param throughput1m Number of jobs that ended in the last minute.
 * @param tiers Statistics by priority.
 * @param waitMs Wait from claimable to claimed in the last minute; null if no job ended. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Queue(
    Long oldestAgeMs,
    Long processing,
    Long queued,
    Long retryWait,
    Long scheduled,
    Long waiting,
    Long deadLetters,
    Double errorRate1m,
    QueueModeKind mode,
    Boolean paused,
    QueueName queue,
    Percentiles runMs,
    Long throughput1m,
    Map<String, QueueCounts> tiers,
    Percentiles waitMs) {}
