// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Log lines of a leased job.
 *
 * @param id id.
 * @param leaseToken leaseToken.
 * @param lines Lines, in order; at most 100 per call.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobLines(
    String id,
    String leaseToken,
    List<LogLine> lines) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a JobLines. */
  public static final class Builder {
    private String id;
    private String leaseToken;
    private List<LogLine> lines;

    private Builder() {}

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
     * Lines, in order; at most 100 per call.
     *
     * @param value the value
     * @return this builder
     */
    public Builder lines(List<LogLine> value) {
      lines = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the JobLines
     */
    public JobLines build() {
      return new JobLines(id, leaseToken, lines);
    }
  }
}
