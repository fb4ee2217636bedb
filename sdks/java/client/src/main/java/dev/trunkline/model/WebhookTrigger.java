// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A trigger that starts a workflow.
 *
 * @param batch Starts one execution for several events. In <code>input</code>, only <code>batch</code> is in scope: a list of <code>{event, body, delivery}</code>. May be null.
 * @param debounce Starts one execution with the input of the last event, after a period without events. May be null.
 * @param events Event types to match, such as <code>push</code> or <code>issue.*</code> (default: all). May be null.
 * @param filter CEL condition over <code>body</code>, <code>headers</code>, <code>event</code>, <code>query</code> and <code>delivery</code>. May be null.
 * @param id Trigger ID, unique within the endpoint (default: derived from the workflow name). May be null.
 * @param input Execution input, with <code>${…}</code> expressions in strings (default: the body). May be null.
 * @param priority Priority (default <code>high</code>). May be null.
 * @param throttle Limits the number of starts in any period. Further starts are delayed. May be null.
 * @param version Workflow version (default: the latest). May be null.
 * @param workflow Workflow to start.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookTrigger(
    BatchOfEvents batch,
    Debounce debounce,
    List<String> events,
    String filter,
    String id,
    JsonNode input,
    Priority priority,
    Throttle throttle,
    Integer version,
    String workflow) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a WebhookTrigger. */
  public static final class Builder {
    private BatchOfEvents batch;
    private Debounce debounce;
    private List<String> events;
    private String filter;
    private String id;
    private JsonNode input;
    private Priority priority;
    private Throttle throttle;
    private Integer version;
    private String workflow;

    private Builder() {}

    /**
     * Starts one execution for several events. In <code>input</code>, only <code>batch</code> is in scope: a list of <code>{event, body, delivery}</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder batch(BatchOfEvents value) {
      batch = value;
      return this;
    }

    /**
     * Starts one execution with the input of the last event, after a period without events.
     *
     * @param value the value
     * @return this builder
     */
    public Builder debounce(Debounce value) {
      debounce = value;
      return this;
    }

    /**
     * Event types to match, such as <code>push</code> or <code>issue.*</code> (default: all).
     *
     * @param value the value
     * @return this builder
     */
    public Builder events(List<String> value) {
      events = value;
      return this;
    }

    /**
     * CEL condition over <code>body</code>, <code>headers</code>, <code>event</code>, <code>query</code> and <code>delivery</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder filter(String value) {
      filter = value;
      return this;
    }

    /**
     * Trigger ID, unique within the endpoint (default: derived from the workflow name).
     *
     * @param value the value
     * @return this builder
     */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /**
     * Execution input, with <code>${…}</code> expressions in strings (default: the body).
     *
     * @param value the value
     * @return this builder
     */
    public Builder input(JsonNode value) {
      input = value;
      return this;
    }

    /**
     * Priority (default <code>high</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /**
     * Limits the number of starts in any period. Further starts are delayed.
     *
     * @param value the value
     * @return this builder
     */
    public Builder throttle(Throttle value) {
      throttle = value;
      return this;
    }

    /**
     * Workflow version (default: the latest).
     *
     * @param value the value
     * @return this builder
     */
    public Builder version(Integer value) {
      version = value;
      return this;
    }

    /**
     * Workflow to start.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflow(String value) {
      workflow = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the WebhookTrigger
     */
    public WebhookTrigger build() {
      return new WebhookTrigger(batch, debounce, events, filter, id, input, priority, throttle, version, workflow);
    }
  }
}
