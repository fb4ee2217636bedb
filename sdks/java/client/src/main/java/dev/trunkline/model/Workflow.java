// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * One version of a workflow.
 *
 * @param contentHash SHA-256 (hex) of the definition as JSON with sorted keys.
 * @param createdAt createdAt.
 * @param definition Definition. Absent in lists. May be null.
 * @param maxConcurrent <code>limits.maxConcurrent</code> of the definition. May be null.
 * @param name name.
 * @param newRuns Policy for new executions while the workflow is paused. May be null.
 * @param paused Whether the workflow is paused.
 * @param source Location of each node in the program that the version was compiled from, by node ID. Absent in lists. May be null.
 * @param tenant Tenant that owns the workflow; absent for a shared workflow. May be null.
 * @param version version.
 * @param warnings Warnings. Only in the response to a registration. May be null.
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
    Map<String, SourcePlace> source,
    String tenant,
    Integer version,
    List<Fault> warnings) {}
