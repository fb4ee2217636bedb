// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema AlertStatus of the API. */
public enum AlertStatus {
  /** <code>pending</code> on the wire. */
  @JsonProperty("pending")
  PENDING,
  /** <code>firing</code> on the wire. */
  @JsonProperty("firing")
  FIRING,
  /** <code>resolved</code> on the wire. */
  @JsonProperty("resolved")
  RESOLVED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
