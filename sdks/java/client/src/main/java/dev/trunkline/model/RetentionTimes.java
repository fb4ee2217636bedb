// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Times for each kind of object.
 *
 * @param alerts Resolved alerts. Cannot be set for a tenant. May be null.
 * @param archive Requeued and archived dead letters. May be null.
 * @param audit The audit log. Cannot be set for a tenant. May be null.
 * @param deliveries Webhook deliveries and events. May be null.
 * @param deliveryBodies Bodies of deliveries; null: as long as the deliveries. May be null.
 * @param executionPayloads Inputs and outputs of finished executions and their nodes; null: as long as the executions. May be null.
 * @param executions Finished executions with their nodes and timelines. May be null.
 * @param workflowExecution workflow-execution.
 * @param workflowNode workflow-node.
 * @param workflowScheduled workflow-scheduled.
 * @param workflowWebhook workflow-webhook.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RetentionTimes(
    String alerts,
    String archive,
    String audit,
    String deliveries,
    String deliveryBodies,
    String executionPayloads,
    String executions,
    @JsonProperty("workflow-execution") QueueRetention workflowExecution,
    @JsonProperty("workflow-node") QueueRetention workflowNode,
    @JsonProperty("workflow-scheduled") QueueRetention workflowScheduled,
    @JsonProperty("workflow-webhook") QueueRetention workflowWebhook) {}
