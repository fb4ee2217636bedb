// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema NodeStatus of the API. */
public enum NodeStatus {
  /** <code>PENDING</code> on the wire. */
  @JsonProperty("PENDING")
  PENDING,
  /** <code>RUNNING</code> on the wire. */
  @JsonProperty("RUNNING")
  RUNNING,
  /** <code>WAITING</code> on the wire. */
  @JsonProperty("WAITING")
  WAITING,
  /** <code>RETRY_WAIT</code> on the wire. */
  @JsonProperty("RETRY_WAIT")
  RETRY_WAIT,
  /** <code>COMPLETED</code> on the wire. */
  @JsonProperty("COMPLETED")
  COMPLETED,
  /** <code>SKIPPED</code> on the wire. */
  @JsonProperty("SKIPPED")
  SKIPPED,
  /** <code>FAILED</code> on the wire. */
  @JsonProperty("FAILED")
  FAILED,
  /** <code>CANCELLED</code> on the wire. */
  @JsonProperty("CANCELLED")
  CANCELLED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
