// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * An API key to make.
 *
 * @param expiresAt From when on it no longer works. May be null.
 * @param groups The groups that it belongs to, as user tasks name them. May be null.
 * @param name What people call it.
 * @param networks Networks and addresses that it may be used from, such as <code>10.0.0.0/8</code>; from everywhere where there are none. May be null.
 * @param payloads Whether answers to it hold payloads (data, results, inputs, outputs, bodies). Where absent, those to a key that can only read do not. May be null.
 * @param person The person that it stands for, as user tasks name people. May be null.
 * @param role What it may do.
 * @param scopes What it may do of what its role may; all of it where absent. May be null.
 * @param tenant The tenant that it is bound to; none where absent. May be null.
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
     * From when on it no longer works.
     *
     * @param value the value
     * @return this builder
     */
    public Builder expiresAt(Instant value) {
      expiresAt = value;
      return this;
    }

    /**
     * The groups that it belongs to, as user tasks name them.
     *
     * @param value the value
     * @return this builder
     */
    public Builder groups(List<String> value) {
      groups = value;
      return this;
    }

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
     * Networks and addresses that it may be used from, such as <code>10.0.0.0/8</code>; from everywhere where there are none.
     *
     * @param value the value
     * @return this builder
     */
    public Builder networks(List<String> value) {
      networks = value;
      return this;
    }

    /**
     * Whether answers to it hold payloads (data, results, inputs, outputs, bodies). Where absent, those to a key that can only read do not.
     *
     * @param value the value
     * @return this builder
     */
    public Builder payloads(Boolean value) {
      payloads = value;
      return this;
    }

    /**
     * The person that it stands for, as user tasks name people.
     *
     * @param value the value
     * @return this builder
     */
    public Builder person(String value) {
      person = value;
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
     * What it may do of what its role may; all of it where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder scopes(List<KeyScope> value) {
      scopes = value;
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
      return new ApiKeyRequest(expiresAt, groups, name, networks, payloads, person, role, scopes, tenant);
    }
  }
}
