// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * What a dry run found.
 *
 * @param count Number of matches.
 * @param exact Whether there are no more than <code>count</code>.
 * @param samples The first ten, as their list shows them.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkCount(
    Long count,
    Boolean exact,
    List<Map<String, JsonNode>> samples) {}
