// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A scope of an API key.
 * 
 * An action is <code>jobs.enqueue</code>, <code>jobs.*</code>, <code>*.read</code>, <code>*</code> or similar; a name is complete or ends in <code>*</code>. A scope with
 * names grants only those of its actions that names can restrict.
 *
 * @param actions Actions that the scope grants.
 * @param jobTypes Job types to which the scope applies. May be null.
 * @param queues Queues to which the scope applies. May be null.
 * @param tenants Tenants to which the scope applies. Polling across all tenants requires <code>*</code>. May be null.
 * @param workflows Workflows to which the scope applies. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record KeyScope(
    List<String> actions,
    List<String> jobTypes,
    List<String> queues,
    List<String> tenants,
    List<String> workflows) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a KeyScope. */
  public static final class Builder {
    private List<String> actions;
    private List<String> jobTypes;
    private List<String> queues;
    private List<String> tenants;
    private List<String> workflows;

    private Builder() {}

    /**
     * Actions that the scope grants.
     *
     * @param value the value
     * @return this builder
     */
    public Builder actions(List<String> value) {
      actions = value;
      return this;
    }

    /**
     * Job types to which the scope applies.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobTypes(List<String> value) {
      jobTypes = value;
      return this;
    }

    /**
     * Queues to which the scope applies.
     *
     * @param value the value
     * @return this builder
     */
    public Builder queues(List<String> value) {
      queues = value;
      return this;
    }

    /**
     * Tenants to which the scope applies. Polling across all tenants requires <code>*</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenants(List<String> value) {
      tenants = value;
      return this;
    }

    /**
     * Workflows to which the scope applies.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflows(List<String> value) {
      workflows = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the KeyScope
     */
    public KeyScope build() {
      return new KeyScope(actions, jobTypes, queues, tenants, workflows);
    }
  }
}
