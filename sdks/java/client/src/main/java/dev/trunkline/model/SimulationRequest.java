// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A simulation: a definition or a registered workflow, and what its nodes return.
 *
 * @param definition The definition: an object, or its YAML as a string. It need not be registered. May be null.
 * @param events Events to deliver. An event ends the wait of every node that it matches. May be null.
 * @param input Input, validated against the workflow's schema (default: an empty object). May be null.
 * @param now Start time of the run (default: now). May be null.
 * @param results Results by node ID, one for each round of the node, in order. Results of a <code>MAP</code> apply to its items; a single item is <code>notify[3]</code>, a compensation is <code>charge:compensate</code>. May be null.
 * @param signals Signals to send. May be null.
 * @param tenant Tenant of the registered workflow (default: the key's tenant, or <code>default</code>). May be null.
 * @param version Version of the registered workflow (default: the latest). May be null.
 * @param workflow Name of a registered workflow, instead of a definition. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SimulationRequest(
    JsonNode definition,
    List<MockEvent> events,
    JsonNode input,
    Instant now,
    Map<String, List<MockResult>> results,
    List<MockSignal> signals,
    String tenant,
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

  /** Builds a SimulationRequest. */
  public static final class Builder {
    private JsonNode definition;
    private List<MockEvent> events;
    private JsonNode input;
    private Instant now;
    private Map<String, List<MockResult>> results;
    private List<MockSignal> signals;
    private String tenant;
    private Integer version;
    private String workflow;

    private Builder() {}

    /**
     * The definition: an object, or its YAML as a string. It need not be registered.
     *
     * @param value the value
     * @return this builder
     */
    public Builder definition(JsonNode value) {
      definition = value;
      return this;
    }

    /**
     * Events to deliver. An event ends the wait of every node that it matches.
     *
     * @param value the value
     * @return this builder
     */
    public Builder events(List<MockEvent> value) {
      events = value;
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
     * Start time of the run (default: now).
     *
     * @param value the value
     * @return this builder
     */
    public Builder now(Instant value) {
      now = value;
      return this;
    }

    /**
     * Results by node ID, one for each round of the node, in order. Results of a <code>MAP</code> apply to its items; a single item is <code>notify[3]</code>, a compensation is <code>charge:compensate</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder results(Map<String, List<MockResult>> value) {
      results = value;
      return this;
    }

    /**
     * Signals to send.
     *
     * @param value the value
     * @return this builder
     */
    public Builder signals(List<MockSignal> value) {
      signals = value;
      return this;
    }

    /**
     * Tenant of the registered workflow (default: the key's tenant, or <code>default</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * Version of the registered workflow (default: the latest).
     *
     * @param value the value
     * @return this builder
     */
    public Builder version(Integer value) {
      version = value;
      return this;
    }

    /**
     * Name of a registered workflow, instead of a definition.
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
     * @return the SimulationRequest
     */
    public SimulationRequest build() {
      return new SimulationRequest(definition, events, input, now, results, signals, tenant, version, workflow);
    }
  }
}
