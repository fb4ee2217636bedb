// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema QueueName of the API. */
public enum QueueName {
  /** <code>workflow-execution</code> on the wire. */
  @JsonProperty("workflow-execution")
  WORKFLOW_EXECUTION,
  /** <code>workflow-node</code> on the wire. */
  @JsonProperty("workflow-node")
  WORKFLOW_NODE,
  /** <code>workflow-scheduled</code> on the wire. */
  @JsonProperty("workflow-scheduled")
  WORKFLOW_SCHEDULED,
  /** <code>workflow-webhook</code> on the wire. */
  @JsonProperty("workflow-webhook")
  WORKFLOW_WEBHOOK,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
