// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A rule.
 *
 * @param above Threshold; the alert fires for values above it. May be null.
 * @param below Threshold; the alert fires for values below it. May be null.
 * @param clearAt clearAt. May be null.
 * @param enabled enabled.
 * @param for_ for.
 * @param metric metric.
 * @param name name.
 * @param routes routes.
 * @param scope scope.
 * @param severity severity.
 * @param window window. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AlertRule(
    JsonNode above,
    JsonNode below,
    JsonNode clearAt,
    Boolean enabled,
    @JsonProperty("for") String for_,
    String metric,
    String name,
    List<String> routes,
    AlertScope scope,
    AlertSeverity severity,
    String window) {}
