// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Executions to start in one commit.
 *
 * @param executions The executions, at most 10,000.
 * @param partial Whether valid executions are accepted even if others are invalid (default false: atomic). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExecutionBatch(
    List<ExecutionRequest> executions,
    Boolean partial) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ExecutionBatch. */
  public static final class Builder {
    private List<ExecutionRequest> executions;
    private Boolean partial;

    private Builder() {}

    /**
     * The executions, at most 10,000.
     *
     * @param value the value
     * @return this builder
     */
    public Builder executions(List<ExecutionRequest> value) {
      executions = value;
      return this;
    }

    /**
     * Whether valid executions are accepted even if others are invalid (default false: atomic).
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
     * @return the ExecutionBatch
     */
    public ExecutionBatch build() {
      return new ExecutionBatch(executions, partial);
    }
  }
}
