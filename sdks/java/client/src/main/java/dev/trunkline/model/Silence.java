// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Map;

/**
 * A silence.
 *
 * @param createdAt createdAt.
 * @param createdBy Who created it.
 * @param id id.
 * @param labels labels.
 * @param reason reason.
 * @param rule rule. May be null.
 * @param until until.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Silence(
    Instant createdAt,
    String createdBy,
    String id,
    Map<String, String> labels,
    String reason,
    String rule,
    Instant until) {}
