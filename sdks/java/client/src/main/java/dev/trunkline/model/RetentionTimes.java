// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Values for each kind of thing.
 *
 * @param alerts Resolved alerts; not of a tenant. May be null.
 * @param archive Requeued and archived dead letters. May be null.
 * @param audit The audit log; not of a tenant. May be null.
 * @param deliveries Webhook deliveries and events. May be null.
 * @param deliveryBodies Bodies of deliveries; null: as long as the deliveries. May be null.
 * @param executionPayloads Inputs and outputs of finished executions and their nodes; null: as long as the executions. May be null.
 * @param executions Finished executions with their nodes and timelines. May be null.
 * @param workflow-execution workflow-execution.
 * @param workflow-node workflow-node.
 * @param workflow-scheduled workflow-scheduled.
 * @param workflow-webhook workflow-webhook.
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
    QueueRetention workflow-execution,
    QueueRetention workflow-node,
    QueueRetention workflow-scheduled,
    QueueRetention workflow-webhook) {}
