// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What a backfill did.
 *
 * @param skipped How many slots were left alone.
 * @param slots How many slots the span has.
 * @param started How many executions were started.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Backfill(
    Integer skipped,
    Integer slots,
    Integer started) {}
