// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema UniquePolicy of the API. */
public enum UniquePolicy {
  /** <code>join</code> on the wire. */
  @JsonProperty("join")
  JOIN,
  /** <code>reject</code> on the wire. */
  @JsonProperty("reject")
  REJECT,
  /** <code>replace</code> on the wire. */
  @JsonProperty("replace")
  REPLACE,
  /** <code>queue</code> on the wire. */
  @JsonProperty("queue")
  QUEUE,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
