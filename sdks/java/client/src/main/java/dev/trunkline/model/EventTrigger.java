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
 * @param createdAt createdAt.
 * @param events Event names that it matches.
 * @param filter filter. May be null.
 * @param id id.
 * @param input input. May be null.
 * @param name name.
 * @param paused paused.
 * @param priority priority. May be null.
 * @param revision Revision, incremented by each change.
 * @param tenant tenant.
 * @param updatedAt updatedAt.
 * @param version Workflow version; absent for the latest. May be null.
 * @param workflow Workflow that it starts.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EventTrigger(
    Instant createdAt,
    List<String> events,
    String filter,
    String id,
    JsonNode input,
    String name,
    Boolean paused,
    Priority priority,
    Long revision,
    String tenant,
    Instant updatedAt,
    Integer version,
    String workflow) {}
