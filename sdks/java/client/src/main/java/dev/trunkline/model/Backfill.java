// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The result of a backfill.
 *
 * @param skipped Number of fires that are already in the history.
 * @param slots Number of fires in the range.
 * @param started Number of started executions.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Backfill(
    Integer skipped,
    Integer slots,
    Integer started) {}
