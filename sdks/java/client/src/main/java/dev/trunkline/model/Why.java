// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * Why a job is not running.
 *
 * @param canStartAt Earliest instant at which the rate can admit the job: a lower bound. May be null.
 * @param detail Explanation.
 * @param freesWhen What allows the job to run. May be null.
 * @param holders Jobs that use the limit, at most ten. May be null.
 * @param limit The exhausted limit. May be null.
 * @param rank Number of jobs ahead in the same lane. May be null.
 * @param rate The rate that the job waits for. May be null.
 * @param reason <code>not_due</code>, <code>queue_paused</code>, <code>limit_global</code>, <code>limit_tenant</code>, <code>limit_workflow</code>, <code>limit_job_type</code>, <code>limit_tenant_job_type</code>, <code>limit_rate_key</code>, <code>limit_key</code>, <code>rate_global</code>, <code>rate_tenant</code>, <code>rate_workflow</code>, <code>rate_job_type</code>, <code>rate_tenant_job_type</code>, <code>rate_key</code>, <code>no_worker</code>, <code>no_worker_of_build</code>, <code>behind</code>, <code>waiting</code>, <code>running</code> or <code>finished</code>.
 * @param running Current usage of the limit. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Why(
    Instant canStartAt,
    String detail,
    String freesWhen,
    List<String> holders,
    Integer limit,
    Long rank,
    JsonNode rate,
    String reason,
    Integer running) {}
