// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema LogLevel of the API. */
public enum LogLevel {
  /** <code>debug</code> on the wire. */
  @JsonProperty("debug")
  DEBUG,
  /** <code>info</code> on the wire. */
  @JsonProperty("info")
  INFO,
  /** <code>warn</code> on the wire. */
  @JsonProperty("warn")
  WARN,
  /** <code>error</code> on the wire. */
  @JsonProperty("error")
  ERROR,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
