// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema AttemptStatus of the API. */
public enum AttemptStatus {
  /** <code>PROCESSING</code> on the wire. */
  @JsonProperty("PROCESSING")
  PROCESSING,
  /** <code>COMPLETED</code> on the wire. */
  @JsonProperty("COMPLETED")
  COMPLETED,
  /** <code>FAILED</code> on the wire. */
  @JsonProperty("FAILED")
  FAILED,
  /** <code>WORKER_LOST</code> on the wire. */
  @JsonProperty("WORKER_LOST")
  WORKER_LOST,
  /** <code>TIMED_OUT</code> on the wire. */
  @JsonProperty("TIMED_OUT")
  TIMED_OUT,
  /** <code>CANCELLED</code> on the wire. */
  @JsonProperty("CANCELLED")
  CANCELLED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
