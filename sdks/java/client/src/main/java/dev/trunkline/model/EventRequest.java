// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * An event to send.
 *
 * @param data Any JSON value, up to 1 MiB (default: null). May be null.
 * @param id ID chosen by the sender. A second event with the same name and ID within 24 hours is a duplicate. May be null.
 * @param name Event name: a letter or digit, then up to 127 letters, digits, <code>.</code>, <code>_</code>, <code>/</code> or <code>-</code>.
 * @param tenant Tenant (default: the key's tenant, or <code>default</code>). May be null.
 * @param traceparent W3C trace context passed to executions. Overrides the <code>traceparent</code> header. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EventRequest(
    JsonNode data,
    String id,
    String name,
    String tenant,
    String traceparent) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a EventRequest. */
  public static final class Builder {
    private JsonNode data;
    private String id;
    private String name;
    private String tenant;
    private String traceparent;

    private Builder() {}

    /**
     * Any JSON value, up to 1 MiB (default: null).
     *
     * @param value the value
     * @return this builder
     */
    public Builder data(JsonNode value) {
      data = value;
      return this;
    }

    /**
     * ID chosen by the sender. A second event with the same name and ID within 24 hours is a duplicate.
     *
     * @param value the value
     * @return this builder
     */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /**
     * Event name: a letter or digit, then up to 127 letters, digits, <code>.</code>, <code>_</code>, <code>/</code> or <code>-</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Tenant (default: the key's tenant, or <code>default</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * W3C trace context passed to executions. Overrides the <code>traceparent</code> header.
     *
     * @param value the value
     * @return this builder
     */
    public Builder traceparent(String value) {
      traceparent = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the EventRequest
     */
    public EventRequest build() {
      return new EventRequest(data, id, name, tenant, traceparent);
    }
  }
}
