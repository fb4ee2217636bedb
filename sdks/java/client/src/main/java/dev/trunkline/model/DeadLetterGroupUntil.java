// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * When an ignored group reopens: as soon as one of these conditions is met.
 *
 * @param count Reopens after this number of further dead letters, 1 to 10,000. May be null.
 * @param instant Instant. May be null.
 * @param version Reopens with the first dead letter of an execution of this version of <code>workflow</code>, or of a later version. May be null.
 * @param workflow Workflow of <code>version</code>. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterGroupUntil(
    Integer count,
    Instant instant,
    Integer version,
    String workflow) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a DeadLetterGroupUntil. */
  public static final class Builder {
    private Integer count;
    private Instant instant;
    private Integer version;
    private String workflow;

    private Builder() {}

    /**
     * Reopens after this number of further dead letters, 1 to 10,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder count(Integer value) {
      count = value;
      return this;
    }

    /**
     * Instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder instant(Instant value) {
      instant = value;
      return this;
    }

    /**
     * Reopens with the first dead letter of an execution of this version of <code>workflow</code>, or of a later version.
     *
     * @param value the value
     * @return this builder
     */
    public Builder version(Integer value) {
      version = value;
      return this;
    }

    /**
     * Workflow of <code>version</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflow(String value) {
      workflow = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the DeadLetterGroupUntil
     */
    public DeadLetterGroupUntil build() {
      return new DeadLetterGroupUntil(count, instant, version, workflow);
    }
  }
}
