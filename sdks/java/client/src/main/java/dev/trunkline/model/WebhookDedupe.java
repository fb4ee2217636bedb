// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Deduplication of deliveries.
 *
 * @param on Deduplication key (default <code>auto</code>: the provider's ID if it is signed, else its ID with the body, else the body). May be null.
 * @param window Deduplication window, 1m to 30d (default: the provider's retry period, at least 24h). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookDedupe(
    JsonNode on,
    String window) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a WebhookDedupe. */
  public static final class Builder {
    private JsonNode on;
    private String window;

    private Builder() {}

    /**
     * Deduplication key (default <code>auto</code>: the provider's ID if it is signed, else its ID with the body, else the body).
     *
     * @param value the value
     * @return this builder
     */
    public Builder on(JsonNode value) {
      on = value;
      return this;
    }

    /**
     * Deduplication window, 1m to 30d (default: the provider's retry period, at least 24h).
     *
     * @param value the value
     * @return this builder
     */
    public Builder window(String value) {
      window = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the WebhookDedupe
     */
    public WebhookDedupe build() {
      return new WebhookDedupe(on, window);
    }
  }
}
