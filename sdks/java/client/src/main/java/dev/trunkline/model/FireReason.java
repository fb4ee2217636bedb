// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema FireReason of the API. */
public enum FireReason {
  /** <code>tick</code> on the wire. */
  @JsonProperty("tick")
  TICK,
  /** <code>catchup</code> on the wire. */
  @JsonProperty("catchup")
  CATCHUP,
  /** <code>backfill</code> on the wire. */
  @JsonProperty("backfill")
  BACKFILL,
  /** <code>manual</code> on the wire. */
  @JsonProperty("manual")
  MANUAL,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
