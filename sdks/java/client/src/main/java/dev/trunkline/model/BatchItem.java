// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * An object of a bulk operation.
 *
 * @param at at.
 * @param error Why it was not changed. May be null.
 * @param id id.
 * @param outcome outcome.
 * @param resultId Job, execution or delivery that the change made or started. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BatchItem(
    Instant at,
    String error,
    String id,
    BatchItemOutcome outcome,
    String resultId) {}
