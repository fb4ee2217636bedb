// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An accepted delivery.
 *
 * @param deduplicated True for a duplicate, which starts no workflow. May be null.
 * @param deliveryId Delivery ID; for a duplicate, the ID of the first delivery.
 * @param status <code>held</code> if the endpoint is paused or over its rate limit: the delivery is stored and matched later. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReceivedDelivery(
    Boolean deduplicated,
    String deliveryId,
    DeliveryStatus status) {}
