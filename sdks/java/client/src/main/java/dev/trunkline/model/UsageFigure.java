// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How much there is of something, and how much there may be.
 *
 * @param quota How much there may be; null is unlimited. Of idempotency keys it is for each API key. May be null.
 * @param used How much there is.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record UsageFigure(
    Long quota,
    Long used) {}
