// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema QueueModeKind of the API. */
public enum QueueModeKind {
  /** <code>running</code> on the wire. */
  @JsonProperty("running")
  RUNNING,
  /** <code>paused</code> on the wire. */
  @JsonProperty("paused")
  PAUSED,
  /** <code>draining</code> on the wire. */
  @JsonProperty("draining")
  DRAINING,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
