// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema UserTaskStatus of the API. */
public enum UserTaskStatus {
  /** <code>open</code> on the wire. */
  @JsonProperty("open")
  OPEN,
  /** <code>completed</code> on the wire. */
  @JsonProperty("completed")
  COMPLETED,
  /** <code>timed_out</code> on the wire. */
  @JsonProperty("timed_out")
  TIMED_OUT,
  /** <code>cancelled</code> on the wire. */
  @JsonProperty("cancelled")
  CANCELLED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
