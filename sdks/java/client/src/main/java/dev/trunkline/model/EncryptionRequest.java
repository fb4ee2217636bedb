// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A change of the encryption of a tenant.
 *
 * @param enabled Whether payloads are encrypted from now on.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EncryptionRequest(
    Boolean enabled) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a EncryptionRequest. */
  public static final class Builder {
    private Boolean enabled;

    private Builder() {}

    /**
     * Whether payloads are encrypted from now on.
     *
     * @param value the value
     * @return this builder
     */
    public Builder enabled(Boolean value) {
      enabled = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the EncryptionRequest
     */
    public EncryptionRequest build() {
      return new EncryptionRequest(enabled);
    }
  }
}
