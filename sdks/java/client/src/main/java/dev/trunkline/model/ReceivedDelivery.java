// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A delivery that was taken in.
 *
 * @param deduplicated True for a repetition, which starts nothing. May be null.
 * @param deliveryId The delivery; of a repetition, the first one.
 * @param status <code>held</code> where the endpoint is paused or over its rate: the delivery is stored, and matched later. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReceivedDelivery(
    Boolean deduplicated,
    String deliveryId,
    String status) {}
