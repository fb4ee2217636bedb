// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Map;

/**
 * An alert. At most one is open for each rule and labels, across all nodes.
 *
 * @param firedAt firedAt. May be null.
 * @param id id.
 * @param labels Labels that identify the affected objects.
 * @param resolvedAt resolvedAt. May be null.
 * @param rule rule.
 * @param severity severity.
 * @param silencedBy ID of the silence that suppresses its notifications. May be null.
 * @param startedAt startedAt.
 * @param status status.
 * @param summary One-sentence description of the problem.
 * @param threshold Threshold; durations in milliseconds.
 * @param value Last value; durations in milliseconds.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Alert(
    Instant firedAt,
    String id,
    Map<String, String> labels,
    Instant resolvedAt,
    String rule,
    AlertSeverity severity,
    String silencedBy,
    Instant startedAt,
    AlertStatus status,
    String summary,
    Double threshold,
    Double value) {}
