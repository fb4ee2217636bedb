// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Options of archiving a dead letter.
 *
 * @param reason Reason, stored with the dead letter.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ArchiveRequest(
    String reason) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ArchiveRequest. */
  public static final class Builder {
    private String reason;

    private Builder() {}

    /**
     * Reason, stored with the dead letter.
     *
     * @param value the value
     * @return this builder
     */
    public Builder reason(String value) {
      reason = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the ArchiveRequest
     */
    public ArchiveRequest build() {
      return new ArchiveRequest(reason);
    }
  }
}
