// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A trigger to save.
 *
 * @param batch Starts one execution for several events. In <code>input</code>, only <code>batch</code> is in scope: a list of <code>{event, body, delivery}</code>. May be null.
 * @param debounce Starts one execution with the input of the last event, after a period without events. May be null.
 * @param events Event names to match, such as <code>order.paid</code> or <code>order.*</code>.
 * @param filter CEL condition over <code>event</code>, <code>body</code> and <code>delivery</code>. May be null.
 * @param input Execution input, with <code>${…}</code> expressions in strings (default: the body). May be null.
 * @param name Unique within the tenant.
 * @param paused Whether the trigger is paused (default: false for a new one, unchanged for an existing one). May be null.
 * @param priority Priority (default <code>high</code>). May be null.
 * @param revision Expected current revision of the trigger; the update is rejected if it differs. Not allowed for a new trigger. May be null.
 * @param tenant Tenant (default: the key's tenant, or <code>default</code>). It cannot change later. May be null.
 * @param throttle Limits the number of starts in any period. Further starts are delayed. May be null.
 * @param version Workflow version (default: the latest). May be null.
 * @param workflow Workflow to start.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EventTriggerRequest(
    BatchOfEvents batch,
    Debounce debounce,
    List<String> events,
    String filter,
    JsonNode input,
    String name,
    Boolean paused,
    Priority priority,
    Long revision,
    String tenant,
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

  /** Builds a EventTriggerRequest. */
  public static final class Builder {
    private BatchOfEvents batch;
    private Debounce debounce;
    private List<String> events;
    private String filter;
    private JsonNode input;
    private String name;
    private Boolean paused;
    private Priority priority;
    private Long revision;
    private String tenant;
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
     * Event names to match, such as <code>order.paid</code> or <code>order.*</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder events(List<String> value) {
      events = value;
      return this;
    }

    /**
     * CEL condition over <code>event</code>, <code>body</code> and <code>delivery</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder filter(String value) {
      filter = value;
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
     * Unique within the tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Whether the trigger is paused (default: false for a new one, unchanged for an existing one).
     *
     * @param value the value
     * @return this builder
     */
    public Builder paused(Boolean value) {
      paused = value;
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
     * Expected current revision of the trigger; the update is rejected if it differs. Not allowed for a new trigger.
     *
     * @param value the value
     * @return this builder
     */
    public Builder revision(Long value) {
      revision = value;
      return this;
    }

    /**
     * Tenant (default: the key's tenant, or <code>default</code>). It cannot change later.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
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
     * @return the EventTriggerRequest
     */
    public EventTriggerRequest build() {
      return new EventTriggerRequest(batch, debounce, events, filter, input, name, paused, priority, revision, tenant, throttle, version, workflow);
    }
  }
}
