// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * One version of a workflow.
 *
 * @param contentHash Hex SHA-256 of the definition as JSON with sorted keys.
 * @param createdAt createdAt.
 * @param definition The definition. Not in lists. May be null.
 * @param maxConcurrent <code>limits.maxConcurrent</code> of the definition. May be null.
 * @param name name.
 * @param newRuns What becomes of new runs while it is paused. May be null.
 * @param paused Whether executions of it stay queued.
 * @param tenant The tenant that owns it; absent for one that all tenants share. May be null.
 * @param version version.
 * @param warnings What is better done otherwise. Only in the answer to a registration. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Workflow(
    String contentHash,
    Instant createdAt,
    JsonNode definition,
    Integer maxConcurrent,
    String name,
    NewRuns newRuns,
    Boolean paused,
    String tenant,
    Integer version,
    List<Fault> warnings) {}
