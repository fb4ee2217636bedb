// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * An execution to start.
 *
 * @param correlationId Whatever the caller knows it by. May be null.
 * @param input The input, checked against the workflow's schema; an empty object where absent. May be null.
 * @param priority <code>high</code> where absent. May be null.
 * @param tags Words to find it by. May be null.
 * @param tenant The key's own tenant, or <code>default</code>, where absent. May be null.
 * @param traceparent W3C trace context, carried to the workers. Goes before the header of that name. May be null.
 * @param version The latest where absent. May be null.
 * @param workflow The workflow's name.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExecutionRequest(
    String correlationId,
    JsonNode input,
    Priority priority,
    List<String> tags,
    String tenant,
    String traceparent,
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
    private String correlationId;
    private JsonNode input;
    private Priority priority;
    private List<String> tags;
    private String tenant;
    private String traceparent;
    private Integer version;
    private String workflow;

    private Builder() {}

    /**
     * Whatever the caller knows it by.
     *
     * @param value the value
     * @return this builder
     */
    public Builder correlationId(String value) {
      correlationId = value;
      return this;
    }

    /**
     * The input, checked against the workflow's schema; an empty object where absent.
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
     * Words to find it by.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tags(List<String> value) {
      tags = value;
      return this;
    }

    /**
     * The key's own tenant, or <code>default</code>, where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * W3C trace context, carried to the workers. Goes before the header of that name.
     *
     * @param value the value
     * @return this builder
     */
    public Builder traceparent(String value) {
      traceparent = value;
      return this;
    }

    /**
     * The latest where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder version(Integer value) {
      version = value;
      return this;
    }

    /**
     * The workflow's name.
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
      return new ExecutionRequest(correlationId, input, priority, tags, tenant, traceparent, version, workflow);
    }
  }
}
