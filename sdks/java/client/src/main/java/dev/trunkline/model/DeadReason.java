// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema DeadReason of the API. */
public enum DeadReason {
  /** <code>retries_exhausted</code> on the wire. */
  @JsonProperty("retries_exhausted")
  RETRIES_EXHAUSTED,
  /** <code>non_retryable</code> on the wire. */
  @JsonProperty("non_retryable")
  NON_RETRYABLE,
  /** <code>worker_lost</code> on the wire. */
  @JsonProperty("worker_lost")
  WORKER_LOST,
  /** <code>timeout</code> on the wire. */
  @JsonProperty("timeout")
  TIMEOUT,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
