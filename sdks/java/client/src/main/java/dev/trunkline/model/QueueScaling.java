// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The load of a queue for autoscalers.
 *
 * @param asOf Time at which the figures were read.
 * @param desired Number of slots that could be busy now: <code>processing</code> + <code>offered</code> + <code>startable</code>.
 * @param exact Whether all queued jobs were counted. Otherwise <code>queued</code> and <code>startable</code> are lower bounds.
 * @param heldByLimit Number of queued jobs that a limit or a concurrency key holds back.
 * @param noWorker Number of queued jobs without an active worker for their type.
 * @param offered Number of jobs that are offered through Kafka and that no worker has accepted.
 * @param oldestAgeMs How long the oldest job has been claimable; null if no job is queued. May be null.
 * @param processing Number of jobs that workers hold.
 * @param queue queue.
 * @param queued Number of jobs that wait to be claimed.
 * @param startable Number of queued jobs that no limit or pause holds back.
 * @param workers Number of active external workers that take these jobs.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueScaling(
    Instant asOf,
    Long desired,
    Boolean exact,
    Long heldByLimit,
    Long noWorker,
    Long offered,
    Long oldestAgeMs,
    Long processing,
    QueueName queue,
    Long queued,
    Long startable,
    Long workers) {}
