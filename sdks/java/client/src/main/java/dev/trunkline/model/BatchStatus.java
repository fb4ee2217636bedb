// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema BatchStatus of the API. */
public enum BatchStatus {
  /** <code>preparing</code> on the wire. */
  @JsonProperty("preparing")
  PREPARING,
  /** <code>running</code> on the wire. */
  @JsonProperty("running")
  RUNNING,
  /** <code>paused</code> on the wire. */
  @JsonProperty("paused")
  PAUSED,
  /** <code>completed</code> on the wire. */
  @JsonProperty("completed")
  COMPLETED,
  /** <code>aborted</code> on the wire. */
  @JsonProperty("aborted")
  ABORTED,
  /** <code>failed</code> on the wire. */
  @JsonProperty("failed")
  FAILED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
