// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema WebhookSecretPurpose of the API. */
public enum WebhookSecretPurpose {
  /** <code>signature</code> on the wire. */
  @JsonProperty("signature")
  SIGNATURE,
  /** <code>verifyToken</code> on the wire. */
  @JsonProperty("verifyToken")
  VERIFY_TOKEN,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
