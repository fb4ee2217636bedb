// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Starts one execution for several events.
 *
 * @param key Key of the events that belong together, with <code>${…}</code> expressions (default: all events of the trigger). May be null.
 * @param maxSize Number of events after which the execution starts.
 * @param timeout Maximum wait after the first event, up to 30d.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BatchOfEvents(
    String key,
    Integer maxSize,
    String timeout) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BatchOfEvents. */
  public static final class Builder {
    private String key;
    private Integer maxSize;
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
     * Number of events after which the execution starts.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxSize(Integer value) {
      maxSize = value;
      return this;
    }

    /**
     * Maximum wait after the first event, up to 30d.
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
     * @return the BatchOfEvents
     */
    public BatchOfEvents build() {
      return new BatchOfEvents(key, maxSize, timeout);
    }
  }
}
