// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Waiting jobs of external workers.
 *
 * @param asOf asOf.
 * @param exact exact.
 * @param jobs Number of waiting jobs; a lower bound if <code>exact</code> is false.
 * @param oldestAt Time at which the oldest of them was queued. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchOutbox(
    Instant asOf,
    Boolean exact,
    Long jobs,
    Instant oldestAt) {}
