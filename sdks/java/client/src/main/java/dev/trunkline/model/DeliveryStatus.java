// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema DeliveryStatus of the API. */
public enum DeliveryStatus {
  /** <code>accepted</code> on the wire. */
  @JsonProperty("accepted")
  ACCEPTED,
  /** <code>held</code> on the wire. */
  @JsonProperty("held")
  HELD,
  /** <code>matched</code> on the wire. */
  @JsonProperty("matched")
  MATCHED,
  /** <code>unmatched</code> on the wire. */
  @JsonProperty("unmatched")
  UNMATCHED,
  /** <code>parked</code> on the wire. */
  @JsonProperty("parked")
  PARKED,
  /** <code>duplicate</code> on the wire. */
  @JsonProperty("duplicate")
  DUPLICATE,
  /** <code>rejected</code> on the wire. */
  @JsonProperty("rejected")
  REJECTED,
  /** <code>handshake</code> on the wire. */
  @JsonProperty("handshake")
  HANDSHAKE,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
