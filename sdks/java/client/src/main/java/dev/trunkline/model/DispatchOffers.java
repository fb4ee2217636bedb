// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * Open offers.
 *
 * @param jobTypes jobTypes.
 * @param lag Number of offers that the broker has but no worker has accepted.
 * @param oldestAt Time at which the oldest offer was made. May be null.
 * @param standing Number of offers.
 * @param unacknowledged Number of messages that the broker has not acknowledged.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchOffers(
    List<DispatchOffersOfType> jobTypes,
    Long lag,
    Instant oldestAt,
    Long standing,
    Long unacknowledged) {}
