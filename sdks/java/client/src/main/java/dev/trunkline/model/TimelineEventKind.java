// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema TimelineEventKind of the API. */
public enum TimelineEventKind {
  /** <code>execution_started</code> on the wire. */
  @JsonProperty("execution_started")
  EXECUTION_STARTED,
  /** <code>execution_retried</code> on the wire. */
  @JsonProperty("execution_retried")
  EXECUTION_RETRIED,
  /** <code>execution_compensating</code> on the wire. */
  @JsonProperty("execution_compensating")
  EXECUTION_COMPENSATING,
  /** <code>execution_completed</code> on the wire. */
  @JsonProperty("execution_completed")
  EXECUTION_COMPLETED,
  /** <code>execution_failed</code> on the wire. */
  @JsonProperty("execution_failed")
  EXECUTION_FAILED,
  /** <code>execution_cancelled</code> on the wire. */
  @JsonProperty("execution_cancelled")
  EXECUTION_CANCELLED,
  /** <code>node_started</code> on the wire. */
  @JsonProperty("node_started")
  NODE_STARTED,
  /** <code>node_waiting</code> on the wire. */
  @JsonProperty("node_waiting")
  NODE_WAITING,
  /** <code>node_repeated</code> on the wire. */
  @JsonProperty("node_repeated")
  NODE_REPEATED,
  /** <code>node_requeued</code> on the wire. */
  @JsonProperty("node_requeued")
  NODE_REQUEUED,
  /** <code>node_completed</code> on the wire. */
  @JsonProperty("node_completed")
  NODE_COMPLETED,
  /** <code>node_skipped</code> on the wire. */
  @JsonProperty("node_skipped")
  NODE_SKIPPED,
  /** <code>node_failed</code> on the wire. */
  @JsonProperty("node_failed")
  NODE_FAILED,
  /** <code>node_child_failed</code> on the wire. */
  @JsonProperty("node_child_failed")
  NODE_CHILD_FAILED,
  /** <code>node_cancelled</code> on the wire. */
  @JsonProperty("node_cancelled")
  NODE_CANCELLED,
  /** <code>node_compensated</code> on the wire. */
  @JsonProperty("node_compensated")
  NODE_COMPENSATED,
  /** <code>compensation_failed</code> on the wire. */
  @JsonProperty("compensation_failed")
  COMPENSATION_FAILED,
  /** <code>signal_received</code> on the wire. */
  @JsonProperty("signal_received")
  SIGNAL_RECEIVED,
  /** <code>user_task_escalated</code> on the wire. */
  @JsonProperty("user_task_escalated")
  USER_TASK_ESCALATED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
