// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A job to release.
 *
 * @param delay Delay before the job may run again (default: none). May be null.
 * @param id id.
 * @param leaseToken leaseToken.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Release(
    String delay,
    String id,
    String leaseToken) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Release. */
  public static final class Builder {
    private String delay;
    private String id;
    private String leaseToken;

    private Builder() {}

    /**
     * Delay before the job may run again (default: none).
     *
     * @param value the value
     * @return this builder
     */
    public Builder delay(String value) {
      delay = value;
      return this;
    }

    /**
     * Sets id.
     *
     * @param value the value
     * @return this builder
     */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /**
     * Sets leaseToken.
     *
     * @param value the value
     * @return this builder
     */
    public Builder leaseToken(String value) {
      leaseToken = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Release
     */
    public Release build() {
      return new Release(delay, id, leaseToken);
    }
  }
}
