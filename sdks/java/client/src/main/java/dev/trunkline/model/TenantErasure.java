// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A tenant to erase.
 *
 * @param cancelOpen Whether unfinished jobs and executions are cancelled, without compensation (default false). May be null.
 * @param confirm The name of the tenant, repeated as a confirmation.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantErasure(
    Boolean cancelOpen,
    String confirm) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a TenantErasure. */
  public static final class Builder {
    private Boolean cancelOpen;
    private String confirm;

    private Builder() {}

    /**
     * Whether unfinished jobs and executions are cancelled, without compensation (default false).
     *
     * @param value the value
     * @return this builder
     */
    public Builder cancelOpen(Boolean value) {
      cancelOpen = value;
      return this;
    }

    /**
     * The name of the tenant, repeated as a confirmation.
     *
     * @param value the value
     * @return this builder
     */
    public Builder confirm(String value) {
      confirm = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the TenantErasure
     */
    public TenantErasure build() {
      return new TenantErasure(cancelOpen, confirm);
    }
  }
}
