// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * A worker asks for jobs.
 *
 * @param jobTypes The job types it handles.
 * @param lease How long the leases hold; the queue's default where absent. May be null.
 * @param maxJobs How many jobs at most; one where absent. May be null.
 * @param tenant Only jobs of this tenant. May be null.
 * @param wait_ How long to wait for a job, up to 30 s; not at all where absent. May be null.
 * @param workerId The worker's name, random for each process.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Poll(
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
    private List<String> jobTypes;
    private String lease;
    private Integer maxJobs;
    private String tenant;
    private String wait_;
    private String workerId;

    private Builder() {}

    /**
     * The job types it handles.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobTypes(List<String> value) {
      jobTypes = value;
      return this;
    }

    /**
     * How long the leases hold; the queue's default where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder lease(String value) {
      lease = value;
      return this;
    }

    /**
     * How many jobs at most; one where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxJobs(Integer value) {
      maxJobs = value;
      return this;
    }

    /**
     * Only jobs of this tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * How long to wait for a job, up to 30 s; not at all where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder wait_(String value) {
      wait_ = value;
      return this;
    }

    /**
     * The worker's name, random for each process.
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
      return new Poll(jobTypes, lease, maxJobs, tenant, wait_, workerId);
    }
  }
}
