// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A tenant to create.
 *
 * @param name The name, unique.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantRequest(
    String name) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a TenantRequest. */
  public static final class Builder {
    private String name;

    private Builder() {}

    /**
     * The name, unique.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the TenantRequest
     */
    public TenantRequest build() {
      return new TenantRequest(name);
    }
  }
}
