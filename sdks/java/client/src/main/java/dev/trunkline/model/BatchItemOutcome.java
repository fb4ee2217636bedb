// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema BatchItemOutcome of the API. */
public enum BatchItemOutcome {
  /** <code>done</code> on the wire. */
  @JsonProperty("done")
  DONE,
  /** <code>failed</code> on the wire. */
  @JsonProperty("failed")
  FAILED,
  /** <code>skipped</code> on the wire. */
  @JsonProperty("skipped")
  SKIPPED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
