// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A process that uses the database.
 *
 * @param brokerAwaySince Time since which its relay has been unable to reach a broker. May be null.
 * @param heldTypes Job types with waiting jobs for which it makes no offers, at most 100.
 * @param lastError lastError. May be null.
 * @param name name.
 * @param publishErrors Failures to publish a message since it started.
 * @param published Messages published since it started.
 * @param publishedPerSecond publishedPerSecond.
 * @param relay Whether it publishes offers.
 * @param unacknowledged Messages that the broker has not acknowledged.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchNode(
    Instant brokerAwaySince,
    List<DispatchHeldType> heldTypes,
    DispatchFault lastError,
    String name,
    Long publishErrors,
    Long published,
    Long publishedPerSecond,
    Boolean relay,
    Long unacknowledged) {}
