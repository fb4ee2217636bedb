// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * What a registration answers.
 *
 * @param contentHash Hex SHA-256 of the definition as JSON with sorted keys. May be null.
 * @param createdAt createdAt. May be null.
 * @param definition The definition. Not in lists. May be null.
 * @param maxConcurrent <code>limits.maxConcurrent</code> of the definition. May be null.
 * @param name name. May be null.
 * @param newRuns What becomes of new runs while it is paused. May be null.
 * @param paused Whether executions of it stay queued. May be null.
 * @param tenant The tenant that owns it; absent for one that all tenants share. May be null.
 * @param version version. May be null.
 * @param warnings What is better done otherwise. Only in the answer to a registration. May be null.
 * @param valid Always true: faults are a problem with status 422. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RegisteredWorkflow(
    String contentHash,
    Instant createdAt,
    JsonNode definition,
    Integer maxConcurrent,
    String name,
    NewRuns newRuns,
    Boolean paused,
    String tenant,
    Integer version,
    List<Fault> warnings,
    Boolean valid) {}
