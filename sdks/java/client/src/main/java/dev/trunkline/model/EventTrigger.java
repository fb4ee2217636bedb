// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * A trigger that starts a workflow for each event it matches.
 *
 * @param batch Starts one execution for several events. In <code>input</code>, only <code>batch</code> is in scope: a list of <code>{event, body, delivery}</code>. May be null.
 * @param createdAt createdAt.
 * @param debounce Starts one execution with the input of the last event, after a period without events. May be null.
 * @param events Event names that it matches.
 * @param filter filter. May be null.
 * @param id id.
 * @param input input. May be null.
 * @param name name.
 * @param paused paused.
 * @param priority priority. May be null.
 * @param revision Revision, incremented by each change.
 * @param tenant tenant.
 * @param throttle Limits the number of starts in any period. Further starts are delayed. May be null.
 * @param updatedAt updatedAt.
 * @param version Workflow version; absent for the latest. May be null.
 * @param workflow Workflow that it starts.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EventTrigger(
    BatchOfEvents batch,
    Instant createdAt,
    Debounce debounce,
    List<String> events,
    String filter,
    String id,
    JsonNode input,
    String name,
    Boolean paused,
    Priority priority,
    Long revision,
    String tenant,
    Throttle throttle,
    Instant updatedAt,
    Integer version,
    String workflow) {}
