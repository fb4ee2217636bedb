// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A fire in the history of a schedule.
 *
 * @param executionId Execution that the fire started. May be null.
 * @param firedAt When it was fired, queued, or skipped.
 * @param lateMs Delay relative to the scheduled time.
 * @param reason reason.
 * @param scheduledFor Scheduled time of the fire.
 * @param skipReason Reason for skipping the fire: <code>overlap</code>, <code>misfire</code>, <code>catchup_cap</code>, <code>workflow_missing</code>, <code>input_invalid</code>, <code>changed</code>, … May be null.
 * @param status status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ScheduleRun(
    String executionId,
    Instant firedAt,
    Long lateMs,
    FireReason reason,
    Instant scheduledFor,
    String skipReason,
    SlotStatus status) {}
