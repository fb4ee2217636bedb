// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema DoctorCheckStatus of the API. */
public enum DoctorCheckStatus {
  /** <code>ok</code> on the wire. */
  @JsonProperty("ok")
  OK,
  /** <code>warn</code> on the wire. */
  @JsonProperty("warn")
  WARN,
  /** <code>fail</code> on the wire. */
  @JsonProperty("fail")
  FAIL,
  /** <code>skipped</code> on the wire. */
  @JsonProperty("skipped")
  SKIPPED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
