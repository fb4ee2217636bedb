// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A preview of the next fires.
 *
 * @param description Description of the expression in words.
 * @param next The next fire times.
 * @param notes Effects of clock changes on these fire times.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Preview(
    String description,
    List<String> next,
    List<String> notes) {}
