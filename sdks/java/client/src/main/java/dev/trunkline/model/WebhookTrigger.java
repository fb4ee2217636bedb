// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What a delivery may start.
 *
 * @param events Event types, such as <code>push</code> or <code>issue.*</code>, any of which is enough; none is all. May be null.
 * @param filter A CEL condition over <code>body</code>, <code>headers</code>, <code>event</code>, <code>query</code> and <code>delivery</code>. May be null.
 * @param id Its name within the endpoint; made of the workflow's name where absent. May be null.
 * @param input The input, with <code>${…}</code> in its strings; the body where absent. May be null.
 * @param priority <code>high</code> where absent. May be null.
 * @param version Which version; the latest where absent. May be null.
 * @param workflow What it starts.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookTrigger(
    List<String> events,
    String filter,
    String id,
    JsonNode input,
    Priority priority,
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
    private List<String> events;
    private String filter;
    private String id;
    private JsonNode input;
    private Priority priority;
    private Integer version;
    private String workflow;

    private Builder() {}

    /**
     * Event types, such as <code>push</code> or <code>issue.*</code>, any of which is enough; none is all.
     *
     * @param value the value
     * @return this builder
     */
    public Builder events(List<String> value) {
      events = value;
      return this;
    }

    /**
     * A CEL condition over <code>body</code>, <code>headers</code>, <code>event</code>, <code>query</code> and <code>delivery</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder filter(String value) {
      filter = value;
      return this;
    }

    /**
     * Its name within the endpoint; made of the workflow's name where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /**
     * The input, with <code>${…}</code> in its strings; the body where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder input(JsonNode value) {
      input = value;
      return this;
    }

    /**
     * <code>high</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /**
     * Which version; the latest where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder version(Integer value) {
      version = value;
      return this;
    }

    /**
     * What it starts.
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
      return new WebhookTrigger(events, filter, id, input, priority, version, workflow);
    }
  }
}
