// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A job type for which no offers are made.
 *
 * @param jobType jobType.
 * @param reason <code>topic_not_created</code>, <code>not_acknowledged</code>, or why its topics could not be looked up.
 * @param since since.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchHeldType(
    String jobType,
    String reason,
    Instant since) {}
