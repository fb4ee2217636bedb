// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.Map;

/**
 * A silence.
 *
 * @param for_ Duration, such as <code>"2h"</code>. One of <code>for</code> and <code>until</code>. May be null.
 * @param labels Only alerts with these labels. May be null.
 * @param reason Reason, shown with the silence.
 * @param rule Only alerts of this rule. May be null.
 * @param until End of the silence. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SilenceRequest(
    @JsonProperty("for") String for_,
    Map<String, String> labels,
    String reason,
    String rule,
    Instant until) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a SilenceRequest. */
  public static final class Builder {
    private String for_;
    private Map<String, String> labels;
    private String reason;
    private String rule;
    private Instant until;

    private Builder() {}

    /**
     * Duration, such as <code>"2h"</code>. One of <code>for</code> and <code>until</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder for_(String value) {
      for_ = value;
      return this;
    }

    /**
     * Only alerts with these labels.
     *
     * @param value the value
     * @return this builder
     */
    public Builder labels(Map<String, String> value) {
      labels = value;
      return this;
    }

    /**
     * Reason, shown with the silence.
     *
     * @param value the value
     * @return this builder
     */
    public Builder reason(String value) {
      reason = value;
      return this;
    }

    /**
     * Only alerts of this rule.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rule(String value) {
      rule = value;
      return this;
    }

    /**
     * End of the silence.
     *
     * @param value the value
     * @return this builder
     */
    public Builder until(Instant value) {
      until = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the SilenceRequest
     */
    public SilenceRequest build() {
      return new SilenceRequest(for_, labels, reason, rule, until);
    }
  }
}
