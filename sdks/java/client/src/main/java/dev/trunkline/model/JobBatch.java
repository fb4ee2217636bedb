// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Jobs to enqueue in one commit.
 *
 * @param jobs The jobs, at most 10,000.
 * @param partial Whether valid jobs are accepted even if others are invalid (default false: atomic). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobBatch(
    List<JobRequest> jobs,
    Boolean partial) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a JobBatch. */
  public static final class Builder {
    private List<JobRequest> jobs;
    private Boolean partial;

    private Builder() {}

    /**
     * The jobs, at most 10,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobs(List<JobRequest> value) {
      jobs = value;
      return this;
    }

    /**
     * Whether valid jobs are accepted even if others are invalid (default false: atomic).
     *
     * @param value the value
     * @return this builder
     */
    public Builder partial(Boolean value) {
      partial = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the JobBatch
     */
    public JobBatch build() {
      return new JobBatch(jobs, partial);
    }
  }
}
