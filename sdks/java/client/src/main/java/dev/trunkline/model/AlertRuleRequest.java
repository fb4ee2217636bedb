// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * An alert rule. An alert fires when a metric stays above or below a threshold for a given time.
 *
 * @param above Threshold that the value must exceed: a duration such as <code>"5m"</code>, a number, or a fraction from 0 to 1. Required without <code>below</code>. May be null.
 * @param below Threshold that the value must fall below. Required without <code>above</code>. May be null.
 * @param clearAt Value at which the alert is resolved. Default: 80 % of <code>above</code>, or 125 % of <code>below</code>. May be null.
 * @param enabled Whether the rule is evaluated. Default: true. May be null.
 * @param for_ How long the value must stay beyond the threshold before the alert fires. Default: 0s. May be null.
 * @param metric Metric, such as <code>oldest_age</code>, <code>depth</code> or <code>error_rate</code>.
 * @param routes Names of routes. Default: <code>log</code>. May be null.
 * @param scope Objects that the rule is limited to. May be null.
 * @param severity <code>warning</code> (default) or <code>critical</code>. May be null.
 * @param window Time window over which fractions, waits and growth are measured, 1m to 1h. Default: 5m. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AlertRuleRequest(
    JsonNode above,
    JsonNode below,
    JsonNode clearAt,
    Boolean enabled,
    @JsonProperty("for") String for_,
    String metric,
    List<String> routes,
    AlertScope scope,
    AlertSeverity severity,
    String window) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a AlertRuleRequest. */
  public static final class Builder {
    private JsonNode above;
    private JsonNode below;
    private JsonNode clearAt;
    private Boolean enabled;
    private String for_;
    private String metric;
    private List<String> routes;
    private AlertScope scope;
    private AlertSeverity severity;
    private String window;

    private Builder() {}

    /**
     * Threshold that the value must exceed: a duration such as <code>"5m"</code>, a number, or a fraction from 0 to 1. Required without <code>below</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder above(JsonNode value) {
      above = value;
      return this;
    }

    /**
     * Threshold that the value must fall below. Required without <code>above</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder below(JsonNode value) {
      below = value;
      return this;
    }

    /**
     * Value at which the alert is resolved. Default: 80 % of <code>above</code>, or 125 % of <code>below</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder clearAt(JsonNode value) {
      clearAt = value;
      return this;
    }

    /**
     * Whether the rule is evaluated. Default: true.
     *
     * @param value the value
     * @return this builder
     */
    public Builder enabled(Boolean value) {
      enabled = value;
      return this;
    }

    /**
     * How long the value must stay beyond the threshold before the alert fires. Default: 0s.
     *
     * @param value the value
     * @return this builder
     */
    public Builder for_(String value) {
      for_ = value;
      return this;
    }

    /**
     * Metric, such as <code>oldest_age</code>, <code>depth</code> or <code>error_rate</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder metric(String value) {
      metric = value;
      return this;
    }

    /**
     * Names of routes. Default: <code>log</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder routes(List<String> value) {
      routes = value;
      return this;
    }

    /**
     * Objects that the rule is limited to.
     *
     * @param value the value
     * @return this builder
     */
    public Builder scope(AlertScope value) {
      scope = value;
      return this;
    }

    /**
     * <code>warning</code> (default) or <code>critical</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder severity(AlertSeverity value) {
      severity = value;
      return this;
    }

    /**
     * Time window over which fractions, waits and growth are measured, 1m to 1h. Default: 5m.
     *
     * @param value the value
     * @return this builder
     */
    public Builder window(String value) {
      window = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the AlertRuleRequest
     */
    public AlertRuleRequest build() {
      return new AlertRuleRequest(above, below, clearAt, enabled, for_, metric, routes, scope, severity, window);
    }
  }
}
