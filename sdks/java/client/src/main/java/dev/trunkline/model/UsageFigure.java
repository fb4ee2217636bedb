// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Usage and quota of a resource.
 *
 * @param exact False while a large <code>historyRows</code> is still being counted, and if <code>logBytes</code> takes long to count: <code>used</code> is a lower bound then.
 * @param quota Quota; null is unlimited. For idempotency keys, the quota applies to each API key. May be null.
 * @param used Current usage.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record UsageFigure(
    Boolean exact,
    Long quota,
    Long used) {}
