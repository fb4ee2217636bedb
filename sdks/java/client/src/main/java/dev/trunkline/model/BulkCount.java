// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * The result of a dry run.
 *
 * @param count Number of matches.
 * @param exact Whether <code>count</code> is exact. Otherwise it is a lower bound.
 * @param samples The first ten matches, in the format of their list.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkCount(
    Long count,
    Boolean exact,
    List<Map<String, JsonNode>> samples) {}
