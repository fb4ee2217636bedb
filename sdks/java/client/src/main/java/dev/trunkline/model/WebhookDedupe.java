// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * How repetitions are known.
 *
 * @param on By what; <code>auto</code> where absent: the provider's id if it signs one, else its id with the body, else the body. May be null.
 * @param window For how long, 1m to 30d; as long as the provider retries, at least a day, where absent. May be null.
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
     * By what; <code>auto</code> where absent: the provider's id if it signs one, else its id with the body, else the body.
     *
     * @param value the value
     * @return this builder
     */
    public Builder on(JsonNode value) {
      on = value;
      return this;
    }

    /**
     * For how long, 1m to 30d; as long as the provider retries, at least a day, where absent.
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
