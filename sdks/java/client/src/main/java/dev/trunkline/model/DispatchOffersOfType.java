// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Offers of a job type.
 *
 * @param jobType jobType.
 * @param oldestAt Time at which the oldest offer was made.
 * @param standing standing.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchOffersOfType(
    String jobType,
    Instant oldestAt,
    Long standing) {}
