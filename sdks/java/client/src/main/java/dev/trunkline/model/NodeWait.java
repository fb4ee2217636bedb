// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * What a node waits for.
 *
 * @param detail Explanation.
 * @param executionId Child execution that the node waits for. May be null.
 * @param job Why the job is not running. May be null.
 * @param jobId Its job. May be null.
 * @param nodeId The node, the item of a <code>MAP</code> as <code>notify[17]</code>, or a compensation as <code>charge:compensate</code>.
 * @param reason <code>timer</code>, <code>signal</code>, <code>user_task</code>, <code>child</code>, <code>callback</code>, <code>event</code>, <code>delay</code>, <code>job_queued</code>, <code>job_running</code> or <code>retry_wait</code>.
 * @param type Node type, such as <code>TIMER</code>.
 * @param until Time of the next event: the timer fires, the wait times out, or the job is retried. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeWait(
    String detail,
    String executionId,
    Why job,
    String jobId,
    String nodeId,
    String reason,
    String type,
    Instant until) {}
