// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Jobs to accept.
 *
 * @param jobs The received jobs.
 * @param workerId Worker ID, random per process.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Acceptances(
    List<Acceptance> jobs,
    String workerId) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Acceptances. */
  public static final class Builder {
    private List<Acceptance> jobs;
    private String workerId;

    private Builder() {}

    /**
     * The received jobs.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobs(List<Acceptance> value) {
      jobs = value;
      return this;
    }

    /**
     * Worker ID, random per process.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workerId(String value) {
      workerId = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Acceptances
     */
    public Acceptances build() {
      return new Acceptances(jobs, workerId);
    }
  }
}
