// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Retention times of a queue to change.
 *
 * @param cancelled cancelled. May be null.
 * @param completed completed. May be null.
 * @param failed failed. May be null.
 * @param payloads payloads. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueRetentionRequest(
    String cancelled,
    String completed,
    String failed,
    String payloads) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a QueueRetentionRequest. */
  public static final class Builder {
    private String cancelled;
    private String completed;
    private String failed;
    private String payloads;

    private Builder() {}

    /**
     * Sets cancelled.
     *
     * @param value the value
     * @return this builder
     */
    public Builder cancelled(String value) {
      cancelled = value;
      return this;
    }

    /**
     * Sets completed.
     *
     * @param value the value
     * @return this builder
     */
    public Builder completed(String value) {
      completed = value;
      return this;
    }

    /**
     * Sets failed.
     *
     * @param value the value
     * @return this builder
     */
    public Builder failed(String value) {
      failed = value;
      return this;
    }

    /**
     * Sets payloads.
     *
     * @param value the value
     * @return this builder
     */
    public Builder payloads(String value) {
      payloads = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the QueueRetentionRequest
     */
    public QueueRetentionRequest build() {
      return new QueueRetentionRequest(cancelled, completed, failed, payloads);
    }
  }
}
