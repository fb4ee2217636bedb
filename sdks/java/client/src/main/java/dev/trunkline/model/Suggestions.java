// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Completions for a part of a query.
 *
 * @param from Start of the replaced part, in characters from 0.
 * @param items items.
 * @param to End of the replaced part, exclusive.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Suggestions(
    Integer from,
    List<Suggestion> items,
    Integer to) {}
