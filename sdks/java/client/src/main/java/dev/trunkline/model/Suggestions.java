// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What may replace a part of a query.
 *
 * @param from First character that is replaced, from 0.
 * @param items items.
 * @param to First character behind what is replaced.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Suggestions(
    Integer from,
    List<Suggestion> items,
    Integer to) {}
