// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema CommandStatus of the API. */
public enum CommandStatus {
  /** <code>pending</code> on the wire. */
  @JsonProperty("pending")
  PENDING,
  /** <code>applied</code> on the wire. */
  @JsonProperty("applied")
  APPLIED,
  /** <code>refused</code> on the wire. */
  @JsonProperty("refused")
  REFUSED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
