// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The time of a development server.
 *
 * @param now Present instant.
 * @param skip Whether time jumps by itself while nothing is under way.
 * @param started Number of executions that schedules started meanwhile.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DevTime(
    Instant now,
    Boolean skip,
    Integer started) {}
