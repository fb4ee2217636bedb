// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema DeliverySource of the API. */
public enum DeliverySource {
  /** <code>webhook</code> on the wire. */
  @JsonProperty("webhook")
  WEBHOOK,
  /** <code>event</code> on the wire. */
  @JsonProperty("event")
  EVENT,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
