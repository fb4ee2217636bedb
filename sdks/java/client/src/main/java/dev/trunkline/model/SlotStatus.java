// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema SlotStatus of the API. */
public enum SlotStatus {
  /** <code>fired</code> on the wire. */
  @JsonProperty("fired")
  FIRED,
  /** <code>waiting</code> on the wire. */
  @JsonProperty("waiting")
  WAITING,
  /** <code>skipped</code> on the wire. */
  @JsonProperty("skipped")
  SKIPPED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
