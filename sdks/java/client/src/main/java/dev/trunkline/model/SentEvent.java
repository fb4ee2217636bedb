// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An event that was sent.
 *
 * @param deduplicated True for a duplicate; absent otherwise. May be null.
 * @param deliveryId The delivery that stores the event; for a duplicate, the first one.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SentEvent(
    Boolean deduplicated,
    String deliveryId) {}
