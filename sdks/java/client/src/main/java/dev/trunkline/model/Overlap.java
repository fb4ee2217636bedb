// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema Overlap of the API. */
public enum Overlap {
  /** <code>allow</code> on the wire. */
  @JsonProperty("allow")
  ALLOW,
  /** <code>skip</code> on the wire. */
  @JsonProperty("skip")
  SKIP,
  /** <code>queueOne</code> on the wire. */
  @JsonProperty("queueOne")
  QUEUE_ONE,
  /** <code>cancelPrevious</code> on the wire. */
  @JsonProperty("cancelPrevious")
  CANCEL_PREVIOUS,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
