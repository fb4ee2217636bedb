// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Starts one execution with the input of the last event, after a period without events.
 *
 * @param key Key of the events that belong together, with <code>${…}</code> expressions (default: all events of the trigger). May be null.
 * @param period Period without an event after which the execution starts, up to 30d.
 * @param timeout Maximum wait after the first event (default: 10 periods). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Debounce(
    String key,
    String period,
    String timeout) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Debounce. */
  public static final class Builder {
    private String key;
    private String period;
    private String timeout;

    private Builder() {}

    /**
     * Key of the events that belong together, with <code>${…}</code> expressions (default: all events of the trigger).
     *
     * @param value the value
     * @return this builder
     */
    public Builder key(String value) {
      key = value;
      return this;
    }

    /**
     * Period without an event after which the execution starts, up to 30d.
     *
     * @param value the value
     * @return this builder
     */
    public Builder period(String value) {
      period = value;
      return this;
    }

    /**
     * Maximum wait after the first event (default: 10 periods).
     *
     * @param value the value
     * @return this builder
     */
    public Builder timeout(String value) {
      timeout = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Debounce
     */
    public Debounce build() {
      return new Debounce(key, period, timeout);
    }
  }
}
