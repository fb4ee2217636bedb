// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The builds to pin a job type to.
 *
 * @param builds Builds, as workers name them in <code>build</code>: 1 to 20.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BuildPinRequest(
    List<String> builds) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BuildPinRequest. */
  public static final class Builder {
    private List<String> builds;

    private Builder() {}

    /**
     * Builds, as workers name them in <code>build</code>: 1 to 20.
     *
     * @param value the value
     * @return this builder
     */
    public Builder builds(List<String> value) {
      builds = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the BuildPinRequest
     */
    public BuildPinRequest build() {
      return new BuildPinRequest(builds);
    }
  }
}
