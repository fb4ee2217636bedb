// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * A queue with its figures, as far as the key sees its jobs.
 *
 * @param oldestAgeMs How long the oldest queued job has been claimable; null when there is none. May be null.
 * @param processing Leased.
 * @param queued Waiting for a claim.
 * @param retryWait Waiting for the next try.
 * @param scheduled Waiting for their time.
 * @param waiting Parked executions.
 * @param deadLetters Open dead letters.
 * @param errorRate1m The share of them that did not complete, from 0 to 1.
 * @param mode <code>running</code>, <code>paused</code> or <code>draining</code>.
 * @param paused Whether it hands out no jobs.
 * @param queue queue.
 * @param runMs From claimed to settled, in the last minute; null when nothing ended. May be null.
 * @param throughput1m Jobs that ended in the last minute.
 * @param tiers By priority.
 * @param waitMs From claimable to claimed, in the last minute; null when nothing ended. May be null.
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
    String mode,
    Boolean paused,
    QueueName queue,
    Percentiles runMs,
    Long throughput1m,
    Map<String, QueueCounts> tiers,
    Percentiles waitMs) {}
