// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * An API key to create.
 *
 * @param expiresAt Expiry time. May be null.
 * @param groups Groups that the key belongs to in user tasks. May be null.
 * @param name Display name.
 * @param networks Allowed client networks and addresses, such as <code>10.0.0.0/8</code> (default: any). May be null.
 * @param payloads Whether responses include payloads (data, results, inputs, outputs, bodies). Default: false for read-only keys, true for others. May be null.
 * @param person User that the key represents in user tasks. May be null.
 * @param role Role.
 * @param scopes Scopes that restrict the role (default: everything the role allows). May be null.
 * @param tenant Tenant that the key is bound to (default: none). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ApiKeyRequest(
    Instant expiresAt,
    List<String> groups,
    String name,
    List<String> networks,
    Boolean payloads,
    String person,
    Role role,
    List<KeyScope> scopes,
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
    private Instant expiresAt;
    private List<String> groups;
    private String name;
    private List<String> networks;
    private Boolean payloads;
    private String person;
    private Role role;
    private List<KeyScope> scopes;
    private String tenant;

    private Builder() {}

    /**
     * Expiry time.
     *
     * @param value the value
     * @return this builder
     */
    public Builder expiresAt(Instant value) {
      expiresAt = value;
      return this;
    }

    /**
     * Groups that the key belongs to in user tasks.
     *
     * @param value the value
     * @return this builder
     */
    public Builder groups(List<String> value) {
      groups = value;
      return this;
    }

    /**
     * Display name.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Allowed client networks and addresses, such as <code>10.0.0.0/8</code> (default: any).
     *
     * @param value the value
     * @return this builder
     */
    public Builder networks(List<String> value) {
      networks = value;
      return this;
    }

    /**
     * Whether responses include payloads (data, results, inputs, outputs, bodies). Default: false for read-only keys, true for others.
     *
     * @param value the value
     * @return this builder
     */
    public Builder payloads(Boolean value) {
      payloads = value;
      return this;
    }

    /**
     * User that the key represents in user tasks.
     *
     * @param value the value
     * @return this builder
     */
    public Builder person(String value) {
      person = value;
      return this;
    }

    /**
     * Role.
     *
     * @param value the value
     * @return this builder
     */
    public Builder role(Role value) {
      role = value;
      return this;
    }

    /**
     * Scopes that restrict the role (default: everything the role allows).
     *
     * @param value the value
     * @return this builder
     */
    public Builder scopes(List<KeyScope> value) {
      scopes = value;
      return this;
    }

    /**
     * Tenant that the key is bound to (default: none).
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
      return new ApiKeyRequest(expiresAt, groups, name, networks, payloads, person, role, scopes, tenant);
    }
  }
}
