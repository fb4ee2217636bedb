// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema AttributeType of the API. */
public enum AttributeType {
  /** <code>text</code> on the wire. */
  @JsonProperty("text")
  TEXT,
  /** <code>integer</code> on the wire. */
  @JsonProperty("integer")
  INTEGER,
  /** <code>number</code> on the wire. */
  @JsonProperty("number")
  NUMBER,
  /** <code>boolean</code> on the wire. */
  @JsonProperty("boolean")
  BOOLEAN,
  /** <code>instant</code> on the wire. */
  @JsonProperty("instant")
  INSTANT,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
