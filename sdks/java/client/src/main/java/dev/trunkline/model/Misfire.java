// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema Misfire of the API. */
public enum Misfire {
  /** <code>skip</code> on the wire. */
  @JsonProperty("skip")
  SKIP,
  /** <code>latest</code> on the wire. */
  @JsonProperty("latest")
  LATEST,
  /** <code>all</code> on the wire. */
  @JsonProperty("all")
  ALL,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
