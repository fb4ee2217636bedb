// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The state of dispatch.
 *
 * @param draining Whether dispatch is draining: no more offers are made.
 * @param mode <code>polling</code> or <code>kafka_outbox</code>.
 * @param nodes Processes that use the database.
 * @param offers offers.
 * @param outbox outbox.
 * @param publishedPerSecond Messages per second that relays published recently.
 * @param shards shards.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Dispatch(
    Boolean draining,
    String mode,
    List<DispatchNode> nodes,
    DispatchOffers offers,
    DispatchOutbox outbox,
    Long publishedPerSecond,
    List<DispatchShard> shards) {}
