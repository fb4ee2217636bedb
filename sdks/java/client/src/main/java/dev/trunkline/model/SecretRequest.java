// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A secret to store. One of <code>value</code>, <code>environment</code>, <code>file</code> and <code>vault</code>.
 *
 * @param environment Environment variable of the server, <code>TRUNKLINE_SECRET_…</code>. For keys that are not bound to a tenant. May be null.
 * @param file File in the directory <code>secrets.directory</code>. For keys that are not bound to a tenant. May be null.
 * @param hosts Hosts that may receive the secret: names, <code>*.example.com</code> or addresses.
 * @param value The value, encrypted at rest and never shown again. May be null.
 * @param vault Path and field in the secret manager of the settings, such as <code>apps/stripe#token</code>. For keys that are not bound to a tenant. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SecretRequest(
    String environment,
    String file,
    List<String> hosts,
    String value,
    String vault) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a SecretRequest. */
  public static final class Builder {
    private String environment;
    private String file;
    private List<String> hosts;
    private String value;
    private String vault;

    private Builder() {}

    /**
     * Environment variable of the server, <code>TRUNKLINE_SECRET_…</code>. For keys that are not bound to a tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder environment(String value) {
      environment = value;
      return this;
    }

    /**
     * File in the directory <code>secrets.directory</code>. For keys that are not bound to a tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder file(String value) {
      file = value;
      return this;
    }

    /**
     * Hosts that may receive the secret: names, <code>*.example.com</code> or addresses.
     *
     * @param value the value
     * @return this builder
     */
    public Builder hosts(List<String> value) {
      hosts = value;
      return this;
    }

    /**
     * The value, encrypted at rest and never shown again.
     *
     * @param value the value
     * @return this builder
     */
    public Builder value(String value) {
      value = value;
      return this;
    }

    /**
     * Path and field in the secret manager of the settings, such as <code>apps/stripe#token</code>. For keys that are not bound to a tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder vault(String value) {
      vault = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the SecretRequest
     */
    public SecretRequest build() {
      return new SecretRequest(environment, file, hosts, value, vault);
    }
  }
}
