// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What is to come.
 *
 * @param description The expression in words.
 * @param next The next slots.
 * @param notes What changes of the clock do to slots to come.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Preview(
    String description,
    List<String> next,
    List<String> notes) {}
