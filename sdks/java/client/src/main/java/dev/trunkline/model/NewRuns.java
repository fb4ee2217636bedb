// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Policy for new executions of a paused workflow. */
public enum NewRuns {
  /** <code>queue</code> on the wire. */
  @JsonProperty("queue")
  QUEUE,
  /** <code>refuse</code> on the wire. */
  @JsonProperty("refuse")
  REFUSE,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
