// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * An execution to start.
 *
 * @param attributes Searchable attributes by name: values of their declared types, or lists of at most 16 values. May be null.
 * @param correlationId Correlation ID chosen by the caller. May be null.
 * @param delay Delay before the earliest start. May be null.
 * @param expiresIn Maximum wait for the start, counted from when the execution may start (default: the workflow's). An execution that has not started by then is cancelled with the error code <code>expired</code>. May be null.
 * @param input Input, validated against the workflow's schema (default: an empty object). May be null.
 * @param priority Priority (default <code>high</code>). May be null.
 * @param runAt Earliest start time. Mutually exclusive with <code>delay</code>. May be null.
 * @param signal Signal for the open execution with the key, or for the new one. Requires <code>uniqueKey</code> and the policy <code>join</code>. May be null.
 * @param tags Tags for filtering. May be null.
 * @param tenant Tenant (default: the key's tenant, or <code>default</code>). May be null.
 * @param traceparent W3C trace context passed to workers. Overrides the <code>traceparent</code> header. May be null.
 * @param uniqueKey Unique key of the execution within its tenant and workflow while it is open. May be null.
 * @param uniquePolicy What happens while an execution with the key is open: <code>join</code> (default), <code>reject</code>, <code>replace</code> or <code>queue</code>. May be null.
 * @param version Workflow version (default: the latest). May be null.
 * @param workflow Workflow name.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExecutionRequest(
    Map<String, JsonNode> attributes,
    String correlationId,
    String delay,
    String expiresIn,
    JsonNode input,
    Priority priority,
    Instant runAt,
    StartSignal signal,
    List<String> tags,
    String tenant,
    String traceparent,
    String uniqueKey,
    UniquePolicy uniquePolicy,
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

  /** Builds a ExecutionRequest. */
  public static final class Builder {
    private Map<String, JsonNode> attributes;
    private String correlationId;
    private String delay;
    private String expiresIn;
    private JsonNode input;
    private Priority priority;
    private Instant runAt;
    private StartSignal signal;
    private List<String> tags;
    private String tenant;
    private String traceparent;
    private String uniqueKey;
    private UniquePolicy uniquePolicy;
    private Integer version;
    private String workflow;

    private Builder() {}

    /**
     * Searchable attributes by name: values of their declared types, or lists of at most 16 values.
     *
     * @param value the value
     * @return this builder
     */
    public Builder attributes(Map<String, JsonNode> value) {
      attributes = value;
      return this;
    }

    /**
     * Correlation ID chosen by the caller.
     *
     * @param value the value
     * @return this builder
     */
    public Builder correlationId(String value) {
      correlationId = value;
      return this;
    }

    /**
     * Delay before the earliest start.
     *
     * @param value the value
     * @return this builder
     */
    public Builder delay(String value) {
      delay = value;
      return this;
    }

    /**
     * Maximum wait for the start, counted from when the execution may start (default: the workflow's). An execution that has not started by then is cancelled with the error code <code>expired</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder expiresIn(String value) {
      expiresIn = value;
      return this;
    }

    /**
     * Input, validated against the workflow's schema (default: an empty object).
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
     * Earliest start time. Mutually exclusive with <code>delay</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder runAt(Instant value) {
      runAt = value;
      return this;
    }

    /**
     * Signal for the open execution with the key, or for the new one. Requires <code>uniqueKey</code> and the policy <code>join</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder signal(StartSignal value) {
      signal = value;
      return this;
    }

    /**
     * Tags for filtering.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tags(List<String> value) {
      tags = value;
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
     * W3C trace context passed to workers. Overrides the <code>traceparent</code> header.
     *
     * @param value the value
     * @return this builder
     */
    public Builder traceparent(String value) {
      traceparent = value;
      return this;
    }

    /**
     * Unique key of the execution within its tenant and workflow while it is open.
     *
     * @param value the value
     * @return this builder
     */
    public Builder uniqueKey(String value) {
      uniqueKey = value;
      return this;
    }

    /**
     * What happens while an execution with the key is open: <code>join</code> (default), <code>reject</code>, <code>replace</code> or <code>queue</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder uniquePolicy(UniquePolicy value) {
      uniquePolicy = value;
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
     * Workflow name.
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
     * @return the ExecutionRequest
     */
    public ExecutionRequest build() {
      return new ExecutionRequest(attributes, correlationId, delay, expiresIn, input, priority, runAt, signal, tags, tenant, traceparent, uniqueKey, uniquePolicy, version, workflow);
    }
  }
}
