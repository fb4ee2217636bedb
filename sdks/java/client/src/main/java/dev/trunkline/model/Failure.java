// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A failed job.
 *
 * @param error Error: an object, or just a message.
 * @param id id.
 * @param leaseToken leaseToken.
 * @param logs Log lines of the attempt so far; at most 100 per call. May be null.
 * @param retryAfter Delay before the next retry, instead of the backoff. May be null.
 * @param retryable Retryable (default true). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Failure(
    JobError error,
    String id,
    String leaseToken,
    List<LogLine> logs,
    String retryAfter,
    Boolean retryable) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a Failure. */
  public static final class Builder {
    private JobError error;
    private String id;
    private String leaseToken;
    private List<LogLine> logs;
    private String retryAfter;
    private Boolean retryable;

    private Builder() {}

    /**
     * Error: an object, or just a message.
     *
     * @param value the value
     * @return this builder
     */
    public Builder error(JobError value) {
      error = value;
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
     * Delay before the next retry, instead of the backoff.
     *
     * @param value the value
     * @return this builder
     */
    public Builder retryAfter(String value) {
      retryAfter = value;
      return this;
    }

    /**
     * Retryable (default true).
     *
     * @param value the value
     * @return this builder
     */
    public Builder retryable(Boolean value) {
      retryable = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the Failure
     */
    public Failure build() {
      return new Failure(error, id, leaseToken, logs, retryAfter, retryable);
    }
  }
}
