// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of a secret rotation.
 *
 * @param overlap How long the current secrets stay valid, up to 30d (default 24h). May be null.
 * @param purpose Purpose of the secret (default <code>signature</code>). May be null.
 * @param secret New secret (default: generated, if the provider accepts any secret). May be null.
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
     * How long the current secrets stay valid, up to 30d (default 24h).
     *
     * @param value the value
     * @return this builder
     */
    public Builder overlap(String value) {
      overlap = value;
      return this;
    }

    /**
     * Purpose of the secret (default <code>signature</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder purpose(WebhookSecretPurpose value) {
      purpose = value;
      return this;
    }

    /**
     * New secret (default: generated, if the provider accepts any secret).
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
