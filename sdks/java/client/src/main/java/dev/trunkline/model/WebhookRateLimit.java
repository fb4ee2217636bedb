// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A rate limit.
 *
 * @param burst Burst size (default: <code>requests</code>). May be null.
 * @param per Time window.
 * @param requests Number of requests.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookRateLimit(
    Integer burst,
    String per,
    Integer requests) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a WebhookRateLimit. */
  public static final class Builder {
    private Integer burst;
    private String per;
    private Integer requests;

    private Builder() {}

    /**
     * Burst size (default: <code>requests</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder burst(Integer value) {
      burst = value;
      return this;
    }

    /**
     * Time window.
     *
     * @param value the value
     * @return this builder
     */
    public Builder per(String value) {
      per = value;
      return this;
    }

    /**
     * Number of requests.
     *
     * @param value the value
     * @return this builder
     */
    public Builder requests(Integer value) {
      requests = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the WebhookRateLimit
     */
    public WebhookRateLimit build() {
      return new WebhookRateLimit(burst, per, requests);
    }
  }
}
