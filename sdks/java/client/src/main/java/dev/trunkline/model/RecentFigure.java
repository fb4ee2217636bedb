// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A figure for the last hour and the last day, rounded up to whole minutes and hours.
 *
 * @param in1h Last hour.
 * @param in24h Last day.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RecentFigure(
    @JsonProperty("1h") Long in1h,
    @JsonProperty("24h") Long in24h) {}
