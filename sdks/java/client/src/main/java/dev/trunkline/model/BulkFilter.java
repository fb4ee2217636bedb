// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Filter of a bulk operation: the query parameters of the list as fields, each a value or a list of values, and <code>q</code>.
 *
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BulkFilter(
    ) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a BulkFilter. */
  public static final class Builder {

    private Builder() {}

    /**
     * The finished value.
     *
     * @return the BulkFilter
     */
    public BulkFilter build() {
      return new BulkFilter();
    }
  }
}
