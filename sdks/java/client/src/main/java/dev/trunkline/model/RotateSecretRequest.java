// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Another secret for an endpoint.
 *
 * @param overlap For how long the present ones hold beside it, up to 30d; a day where absent. May be null.
 * @param purpose What it is for; <code>signature</code> where absent. May be null.
 * @param secret The new one. Where absent, one is made if the provider takes any. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RotateSecretRequest(
    String overlap,
    WebhookSecretPurpose purpose,
    String secret) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a RotateSecretRequest. */
  public static final class Builder {
    private String overlap;
    private WebhookSecretPurpose purpose;
    private String secret;

    private Builder() {}

    /**
     * For how long the present ones hold beside it, up to 30d; a day where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder overlap(String value) {
      overlap = value;
      return this;
    }

    /**
     * What it is for; <code>signature</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder purpose(WebhookSecretPurpose value) {
      purpose = value;
      return this;
    }

    /**
     * The new one. Where absent, one is made if the provider takes any.
     *
     * @param value the value
     * @return this builder
     */
    public Builder secret(String value) {
      secret = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the RotateSecretRequest
     */
    public RotateSecretRequest build() {
      return new RotateSecretRequest(overlap, purpose, secret);
    }
  }
}
