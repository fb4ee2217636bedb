// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema DeadLetterStatus of the API. */
public enum DeadLetterStatus {
  /** <code>open</code> on the wire. */
  @JsonProperty("open")
  OPEN,
  /** <code>requeued</code> on the wire. */
  @JsonProperty("requeued")
  REQUEUED,
  /** <code>archived</code> on the wire. */
  @JsonProperty("archived")
  ARCHIVED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
