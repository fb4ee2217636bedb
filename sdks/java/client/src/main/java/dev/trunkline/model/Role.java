// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema Role of the API. */
public enum Role {
  /** <code>admin</code> on the wire. */
  @JsonProperty("admin")
  ADMIN,
  /** <code>operator</code> on the wire. */
  @JsonProperty("operator")
  OPERATOR,
  /** <code>client</code> on the wire. */
  @JsonProperty("client")
  CLIENT,
  /** <code>worker</code> on the wire. */
  @JsonProperty("worker")
  WORKER,
  /** <code>viewer</code> on the wire. */
  @JsonProperty("viewer")
  VIEWER,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
