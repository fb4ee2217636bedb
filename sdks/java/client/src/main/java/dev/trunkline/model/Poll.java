// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * A poll for jobs.
 *
 * @param build Build that the worker runs. May be null.
 * @param builds Pins the job types to these builds when the worker starts. The list must include the worker's own build. From then on, only workers of these builds receive their jobs. A worker that starts later replaces the pin, but not a pin set by an operator. May be null.
 * @param jobTypes Job types that the worker handles.
 * @param lease Lease duration (default: the queue's setting). May be null.
 * @param maxJobs Maximum number of jobs (default 1). May be null.
 * @param tenant Filter by tenant. May be null.
 * @param wait_ Maximum wait for a job, up to 30 s (default: no wait). May be null.
 * @param workerId Worker ID, random per process.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Poll(
    String build,
    List<String> builds,
    List<String> jobTypes,
    String lease,
    Integer maxJobs,
    String tenant,
    @JsonProperty("wait") String wait_,
    String workerId) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Poll. */
  public static final class Builder {
    private String build;
    private List<String> builds;
    private List<String> jobTypes;
    private String lease;
    private Integer maxJobs;
    private String tenant;
    private String wait_;
    private String workerId;

    private Builder() {}

    /**
     * Build that the worker runs.
     *
     * @param value the value
     * @return this builder
     */
    public Builder build(String value) {
      build = value;
      return this;
    }

    /**
     * Pins the job types to these builds when the worker starts. The list must include the worker's own build. From then on, only workers of these builds receive their jobs. A worker that starts later replaces the pin, but not a pin set by an operator.
     *
     * @param value the value
     * @return this builder
     */
    public Builder builds(List<String> value) {
      builds = value;
      return this;
    }

    /**
     * Job types that the worker handles.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobTypes(List<String> value) {
      jobTypes = value;
      return this;
    }

    /**
     * Lease duration (default: the queue's setting).
     *
     * @param value the value
     * @return this builder
     */
    public Builder lease(String value) {
      lease = value;
      return this;
    }

    /**
     * Maximum number of jobs (default 1).
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxJobs(Integer value) {
      maxJobs = value;
      return this;
    }

    /**
     * Filter by tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * Maximum wait for a job, up to 30 s (default: no wait).
     *
     * @param value the value
     * @return this builder
     */
    public Builder wait_(String value) {
      wait_ = value;
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
     * @return the Poll
     */
    public Poll build() {
      return new Poll(build, builds, jobTypes, lease, maxJobs, tenant, wait_, workerId);
    }
  }
}
