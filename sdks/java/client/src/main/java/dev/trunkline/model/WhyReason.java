// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema WhyReason of the API. */
public enum WhyReason {
  /** <code>not_due</code> on the wire. */
  @JsonProperty("not_due")
  NOT_DUE,
  /** <code>queue_paused</code> on the wire. */
  @JsonProperty("queue_paused")
  QUEUE_PAUSED,
  /** <code>unique_key</code> on the wire. */
  @JsonProperty("unique_key")
  UNIQUE_KEY,
  /** <code>limit_global</code> on the wire. */
  @JsonProperty("limit_global")
  LIMIT_GLOBAL,
  /** <code>limit_tenant</code> on the wire. */
  @JsonProperty("limit_tenant")
  LIMIT_TENANT,
  /** <code>limit_workflow</code> on the wire. */
  @JsonProperty("limit_workflow")
  LIMIT_WORKFLOW,
  /** <code>limit_job_type</code> on the wire. */
  @JsonProperty("limit_job_type")
  LIMIT_JOB_TYPE,
  /** <code>limit_tenant_job_type</code> on the wire. */
  @JsonProperty("limit_tenant_job_type")
  LIMIT_TENANT_JOB_TYPE,
  /** <code>limit_rate_key</code> on the wire. */
  @JsonProperty("limit_rate_key")
  LIMIT_RATE_KEY,
  /** <code>limit_key</code> on the wire. */
  @JsonProperty("limit_key")
  LIMIT_KEY,
  /** <code>rate_global</code> on the wire. */
  @JsonProperty("rate_global")
  RATE_GLOBAL,
  /** <code>rate_tenant</code> on the wire. */
  @JsonProperty("rate_tenant")
  RATE_TENANT,
  /** <code>rate_workflow</code> on the wire. */
  @JsonProperty("rate_workflow")
  RATE_WORKFLOW,
  /** <code>rate_job_type</code> on the wire. */
  @JsonProperty("rate_job_type")
  RATE_JOB_TYPE,
  /** <code>rate_tenant_job_type</code> on the wire. */
  @JsonProperty("rate_tenant_job_type")
  RATE_TENANT_JOB_TYPE,
  /** <code>rate_key</code> on the wire. */
  @JsonProperty("rate_key")
  RATE_KEY,
  /** <code>dispatch_draining</code> on the wire. */
  @JsonProperty("dispatch_draining")
  DISPATCH_DRAINING,
  /** <code>no_relay</code> on the wire. */
  @JsonProperty("no_relay")
  NO_RELAY,
  /** <code>broker_away</code> on the wire. */
  @JsonProperty("broker_away")
  BROKER_AWAY,
  /** <code>topic_not_created</code> on the wire. */
  @JsonProperty("topic_not_created")
  TOPIC_NOT_CREATED,
  /** <code>not_acknowledged</code> on the wire. */
  @JsonProperty("not_acknowledged")
  NOT_ACKNOWLEDGED,
  /** <code>offered</code> on the wire. */
  @JsonProperty("offered")
  OFFERED,
  /** <code>no_worker</code> on the wire. */
  @JsonProperty("no_worker")
  NO_WORKER,
  /** <code>no_worker_of_build</code> on the wire. */
  @JsonProperty("no_worker_of_build")
  NO_WORKER_OF_BUILD,
  /** <code>behind</code> on the wire. */
  @JsonProperty("behind")
  BEHIND,
  /** <code>waiting</code> on the wire. */
  @JsonProperty("waiting")
  WAITING,
  /** <code>running</code> on the wire. */
  @JsonProperty("running")
  RUNNING,
  /** <code>finished</code> on the wire. */
  @JsonProperty("finished")
  FINISHED,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
