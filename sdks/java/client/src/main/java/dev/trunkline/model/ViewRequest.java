// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A view to save.
 *
 * @param columns Columns, in order; at most 50. May be null.
 * @param list The list, as in its path, such as <code>jobs</code>.
 * @param name Name, up to 100 characters.
 * @param order <code>asc</code> or <code>desc</code>. May be null.
 * @param q Query (default: everything). May be null.
 * @param shared Whether the view is visible to others who can see the same data. May be null.
 * @param sort Instant to sort by. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ViewRequest(
    List<String> columns,
    String list,
    String name,
    String order,
    String q,
    Boolean shared,
    String sort) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a ViewRequest. */
  public static final class Builder {
    private List<String> columns;
    private String list;
    private String name;
    private String order;
    private String q;
    private Boolean shared;
    private String sort;

    private Builder() {}

    /**
     * Columns, in order; at most 50.
     *
     * @param value the value
     * @return this builder
     */
    public Builder columns(List<String> value) {
      columns = value;
      return this;
    }

    /**
     * The list, as in its path, such as <code>jobs</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder list(String value) {
      list = value;
      return this;
    }

    /**
     * Name, up to 100 characters.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * <code>asc</code> or <code>desc</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder order(String value) {
      order = value;
      return this;
    }

    /**
     * Query (default: everything).
     *
     * @param value the value
     * @return this builder
     */
    public Builder q(String value) {
      q = value;
      return this;
    }

    /**
     * Whether the view is visible to others who can see the same data.
     *
     * @param value the value
     * @return this builder
     */
    public Builder shared(Boolean value) {
      shared = value;
      return this;
    }

    /**
     * Instant to sort by.
     *
     * @param value the value
     * @return this builder
     */
    public Builder sort(String value) {
      sort = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the ViewRequest
     */
    public ViewRequest build() {
      return new ViewRequest(columns, list, name, order, q, shared, sort);
    }
  }
}
