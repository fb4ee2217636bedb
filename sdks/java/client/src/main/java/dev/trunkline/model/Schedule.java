// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A schedule.
 *
 * @param anchor First fire of the interval, from which all others are counted. May be null.
 * @param catchUpWindow catchUpWindow.
 * @param createdAt createdAt.
 * @param cron Cron expression; null where the schedule fires by an interval. May be null.
 * @param description Description of the expression in words.
 * @param endAt endAt. May be null.
 * @param every Interval between fires, in place of an expression. May be null.
 * @param id id.
 * @param input Input. Absent in lists. May be null.
 * @param jitter jitter.
 * @param misfire misfire.
 * @param name name.
 * @param nextRunAt The next fire time; null while the schedule is paused or after its last fire. May be null.
 * @param overlap overlap.
 * @param paused paused.
 * @param priority priority.
 * @param startAt startAt. May be null.
 * @param tenant tenant.
 * @param timezone timezone.
 * @param updatedAt updatedAt.
 * @param warnings Warnings about valid but probably unintended values.
 * @param workflow workflow.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Schedule(
    Instant anchor,
    String catchUpWindow,
    Instant createdAt,
    String cron,
    String description,
    Instant endAt,
    String every,
    String id,
    JsonNode input,
    String jitter,
    Misfire misfire,
    String name,
    Instant nextRunAt,
    Overlap overlap,
    Boolean paused,
    Priority priority,
    Instant startAt,
    String tenant,
    String timezone,
    Instant updatedAt,
    List<String> warnings,
    String workflow) {}
