// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A part of what a key may do.
 * 
 * An action is a word such as <code>jobs.enqueue</code>, <code>jobs.*</code>, <code>*.read</code> or <code>*</code>; a name is whole or ends in <code>*</code>. A scope with names
 * grants only those of its actions that can be limited by such names.
 *
 * @param actions What it grants.
 * @param jobTypes Only on these job types. May be null.
 * @param queues Only on these queues. May be null.
 * @param tenants Only for these tenants. Polling for all tenants at once needs <code>*</code> here. May be null.
 * @param workflows Only on these workflows. May be null.
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
     * What it grants.
     *
     * @param value the value
     * @return this builder
     */
    public Builder actions(List<String> value) {
      actions = value;
      return this;
    }

    /**
     * Only on these job types.
     *
     * @param value the value
     * @return this builder
     */
    public Builder jobTypes(List<String> value) {
      jobTypes = value;
      return this;
    }

    /**
     * Only on these queues.
     *
     * @param value the value
     * @return this builder
     */
    public Builder queues(List<String> value) {
      queues = value;
      return this;
    }

    /**
     * Only for these tenants. Polling for all tenants at once needs <code>*</code> here.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenants(List<String> value) {
      tenants = value;
      return this;
    }

    /**
     * Only on these workflows.
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
