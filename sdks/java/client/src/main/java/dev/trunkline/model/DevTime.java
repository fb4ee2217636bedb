// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * The time of a development server.
 *
 * @param now Current time.
 * @param skip Whether time skips forward automatically while no work is in progress.
 * @param started Number of executions that schedules started during the call.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DevTime(
    Instant now,
    Boolean skip,
    Integer started) {}
