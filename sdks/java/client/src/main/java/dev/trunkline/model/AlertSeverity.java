// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema AlertSeverity of the API. */
public enum AlertSeverity {
  /** <code>warning</code> on the wire. */
  @JsonProperty("warning")
  WARNING,
  /** <code>critical</code> on the wire. */
  @JsonProperty("critical")
  CRITICAL,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
