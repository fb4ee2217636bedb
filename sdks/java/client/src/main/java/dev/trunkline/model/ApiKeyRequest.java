// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An API key to make.
 *
 * @param name What people call it.
 * @param role What it may do.
 * @param tenant The tenant that it is bound to; none where absent. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ApiKeyRequest(
    String name,
    Role role,
    String tenant) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ApiKeyRequest. */
  public static final class Builder {
    private String name;
    private Role role;
    private String tenant;

    private Builder() {}

    /**
     * What people call it.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * What it may do.
     *
     * @param value the value
     * @return this builder
     */
    public Builder role(Role value) {
      role = value;
      return this;
    }

    /**
     * The tenant that it is bound to; none where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the ApiKeyRequest
     */
    public ApiKeyRequest build() {
      return new ApiKeyRequest(name, role, tenant);
    }
  }
}
