// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Events to send in one commit.
 *
 * @param events The events, at most 1,000.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EventBatch(
    List<EventRequest> events) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a EventBatch. */
  public static final class Builder {
    private List<EventRequest> events;

    private Builder() {}

    /**
     * The events, at most 1,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder events(List<EventRequest> value) {
      events = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the EventBatch
     */
    public EventBatch build() {
      return new EventBatch(events);
    }
  }
}
