// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A change.
 *
 * @param ended Whether the execution ended. May be null.
 * @param executionId The execution that changed. May be null.
 * @param jobId The job that has new log lines. May be null.
 * @param kind <code>queue</code>, <code>execution</code>, <code>job.logged</code>, <code>alert</code>, <code>settings</code>, or <code>resync</code> if changes were missed and all resources must be read again.
 * @param queue The queue whose jobs or slots changed. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ChangeEvent(
    Boolean ended,
    String executionId,
    String jobId,
    String kind,
    QueueName queue) {}
