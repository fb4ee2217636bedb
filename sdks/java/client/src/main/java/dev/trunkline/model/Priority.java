// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema Priority of the API. */
public enum Priority {
  /** <code>high</code> on the wire. */
  @JsonProperty("high")
  HIGH,
  /** <code>normal</code> on the wire. */
  @JsonProperty("normal")
  NORMAL,
  /** <code>low</code> on the wire. */
  @JsonProperty("low")
  LOW,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
