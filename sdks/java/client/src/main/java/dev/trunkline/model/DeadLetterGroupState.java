// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema DeadLetterGroupState of the API. */
public enum DeadLetterGroupState {
  /** <code>open</code> on the wire. */
  @JsonProperty("open")
  OPEN,
  /** <code>resolved</code> on the wire. */
  @JsonProperty("resolved")
  RESOLVED,
  /** <code>ignored</code> on the wire. */
  @JsonProperty("ignored")
  IGNORED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
