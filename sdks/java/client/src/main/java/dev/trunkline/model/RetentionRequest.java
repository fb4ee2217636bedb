// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Times to change: a duration, or null for the default.
 *
 * @param alerts alerts. May be null.
 * @param archive archive. May be null.
 * @param audit audit. May be null.
 * @param deliveries deliveries. May be null.
 * @param deliveryBodies deliveryBodies. May be null.
 * @param executionPayloads executionPayloads. May be null.
 * @param executions executions. May be null.
 * @param workflowExecution workflow-execution. May be null.
 * @param workflowNode workflow-node. May be null.
 * @param workflowScheduled workflow-scheduled. May be null.
 * @param workflowWebhook workflow-webhook. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RetentionRequest(
    String alerts,
    String archive,
    String audit,
    String deliveries,
    String deliveryBodies,
    String executionPayloads,
    String executions,
    @JsonProperty("workflow-execution") QueueRetentionRequest workflowExecution,
    @JsonProperty("workflow-node") QueueRetentionRequest workflowNode,
    @JsonProperty("workflow-scheduled") QueueRetentionRequest workflowScheduled,
    @JsonProperty("workflow-webhook") QueueRetentionRequest workflowWebhook) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a RetentionRequest. */
  public static final class Builder {
    private String alerts;
    private String archive;
    private String audit;
    private String deliveries;
    private String deliveryBodies;
    private String executionPayloads;
    private String executions;
    private QueueRetentionRequest workflowExecution;
    private QueueRetentionRequest workflowNode;
    private QueueRetentionRequest workflowScheduled;
    private QueueRetentionRequest workflowWebhook;

    private Builder() {}

    /**
     * Sets alerts.
     *
     * @param value the value
     * @return this builder
     */
    public Builder alerts(String value) {
      alerts = value;
      return this;
    }

    /**
     * Sets archive.
     *
     * @param value the value
     * @return this builder
     */
    public Builder archive(String value) {
      archive = value;
      return this;
    }

    /**
     * Sets audit.
     *
     * @param value the value
     * @return this builder
     */
    public Builder audit(String value) {
      audit = value;
      return this;
    }

    /**
     * Sets deliveries.
     *
     * @param value the value
     * @return this builder
     */
    public Builder deliveries(String value) {
      deliveries = value;
      return this;
    }

    /**
     * Sets deliveryBodies.
     *
     * @param value the value
     * @return this builder
     */
    public Builder deliveryBodies(String value) {
      deliveryBodies = value;
      return this;
    }

    /**
     * Sets executionPayloads.
     *
     * @param value the value
     * @return this builder
     */
    public Builder executionPayloads(String value) {
      executionPayloads = value;
      return this;
    }

    /**
     * Sets executions.
     *
     * @param value the value
     * @return this builder
     */
    public Builder executions(String value) {
      executions = value;
      return this;
    }

    /**
     * Sets workflow-execution.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowExecution(QueueRetentionRequest value) {
      workflowExecution = value;
      return this;
    }

    /**
     * Sets workflow-node.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowNode(QueueRetentionRequest value) {
      workflowNode = value;
      return this;
    }

    /**
     * Sets workflow-scheduled.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowScheduled(QueueRetentionRequest value) {
      workflowScheduled = value;
      return this;
    }

    /**
     * Sets workflow-webhook.
     *
     * @param value the value
     * @return this builder
     */
    public Builder workflowWebhook(QueueRetentionRequest value) {
      workflowWebhook = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the RetentionRequest
     */
    public RetentionRequest build() {
      return new RetentionRequest(alerts, archive, audit, deliveries, deliveryBodies, executionPayloads, executions, workflowExecution, workflowNode, workflowScheduled, workflowWebhook);
    }
  }
}
