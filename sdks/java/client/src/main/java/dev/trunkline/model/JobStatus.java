// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema JobStatus of the API. */
public enum JobStatus {
  /** <code>SCHEDULED</code> on the wire. */
  @JsonProperty("SCHEDULED")
  SCHEDULED,
  /** <code>QUEUED</code> on the wire. */
  @JsonProperty("QUEUED")
  QUEUED,
  /** <code>PROCESSING</code> on the wire. */
  @JsonProperty("PROCESSING")
  PROCESSING,
  /** <code>WAITING</code> on the wire. */
  @JsonProperty("WAITING")
  WAITING,
  /** <code>RETRY_WAIT</code> on the wire. */
  @JsonProperty("RETRY_WAIT")
  RETRY_WAIT,
  /** <code>COMPLETED</code> on the wire. */
  @JsonProperty("COMPLETED")
  COMPLETED,
  /** <code>FAILED</code> on the wire. */
  @JsonProperty("FAILED")
  FAILED,
  /** <code>DEAD_LETTER</code> on the wire. */
  @JsonProperty("DEAD_LETTER")
  DEAD_LETTER,
  /** <code>CANCELLED</code> on the wire. */
  @JsonProperty("CANCELLED")
  CANCELLED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
