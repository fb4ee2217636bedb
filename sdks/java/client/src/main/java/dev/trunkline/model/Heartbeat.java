// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A lease to renew.
 *
 * @param extend New lease duration from now on (default: the original duration). May be null.
 * @param id id.
 * @param leaseToken leaseToken.
 * @param logs Log lines of the attempt so far; at most 100 per call. May be null.
 * @param progress Progress, shown with the job. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Heartbeat(
    String extend,
    String id,
    String leaseToken,
    List<LogLine> logs,
    JsonNode progress) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Heartbeat. */
  public static final class Builder {
    private String extend;
    private String id;
    private String leaseToken;
    private List<LogLine> logs;
    private JsonNode progress;

    private Builder() {}

    /**
     * New lease duration from now on (default: the original duration).
     *
     * @param value the value
     * @return this builder
     */
    public Builder extend(String value) {
      extend = value;
      return this;
    }

    /**
     * Sets id.
     *
     * @param value the value
     * @return this builder
     */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /**
     * Sets leaseToken.
     *
     * @param value the value
     * @return this builder
     */
    public Builder leaseToken(String value) {
      leaseToken = value;
      return this;
    }

    /**
     * Log lines of the attempt so far; at most 100 per call.
     *
     * @param value the value
     * @return this builder
     */
    public Builder logs(List<LogLine> value) {
      logs = value;
      return this;
    }

    /**
     * Progress, shown with the job.
     *
     * @param value the value
     * @return this builder
     */
    public Builder progress(JsonNode value) {
      progress = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Heartbeat
     */
    public Heartbeat build() {
      return new Heartbeat(extend, id, leaseToken, logs, progress);
    }
  }
}
