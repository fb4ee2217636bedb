// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;

/**
 * A stored log line.
 *
 * @param at at.
 * @param attempt The attempt, from 1.
 * @param fields Structured fields: an object. Absent for callers that may not see payloads. May be null.
 * @param jobId jobId.
 * @param level level.
 * @param line Number of the line in its attempt, from 1.
 * @param message Absent for callers that may not see payloads. May be null.
 * @param nodeId nodeId. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StoredLogLine(
    Instant at,
    Integer attempt,
    Map<String, JsonNode> fields,
    String jobId,
    LogLevel level,
    Integer line,
    String message,
    String nodeId) {}
