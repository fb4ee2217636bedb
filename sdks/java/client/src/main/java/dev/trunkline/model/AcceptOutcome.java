// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema AcceptOutcome of the API. */
public enum AcceptOutcome {
  /** <code>ok</code> on the wire. */
  @JsonProperty("ok")
  OK,
  /** <code>taken</code> on the wire. */
  @JsonProperty("taken")
  TAKEN,
  /** <code>already_done</code> on the wire. */
  @JsonProperty("already_done")
  ALREADY_DONE,
  /** <code>cancelled</code> on the wire. */
  @JsonProperty("cancelled")
  CANCELLED,
  /** <code>lease_lost</code> on the wire. */
  @JsonProperty("lease_lost")
  LEASE_LOST,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
