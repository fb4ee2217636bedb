// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Effective limits of one queue with their sources.
 *
 * @param jobTypeRate Rate of each job type without its own rate. Only on <code>/v1/limits</code>, for <code>workflow-node</code>. May be null.
 * @param maxConcurrent Maximum number of concurrent jobs; null is unlimited. May be null.
 * @param overrideCount Total number of overrides; absent if there are none. May be null.
 * @param overrides The values set for individual tenants, workflows and job types, at most 100. Only in <code>GET /v1/limits</code>; absent if there are none. May be null.
 * @param rate Starts per period; absent if there is no rate. May be null.
 * @param rateSource <code>override</code>, <code>definition</code> or <code>default</code>; absent if there is no rate. May be null.
 * @param source <code>override</code>, <code>definition</code>, <code>default</code> or <code>settings</code>.
 * @param tenantMaxConcurrent Limit of each tenant without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param tenantRate Rate of each tenant without its own rate. Only on <code>/v1/limits</code>. May be null.
 * @param tenantSource tenantSource. May be null.
 * @param workflowMaxConcurrent Limit of each workflow without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param workflowRate Rate of each workflow without its own rate. Only on <code>/v1/limits</code>. May be null.
 * @param workflowSource workflowSource. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueLimits(
    JsonNode jobTypeRate,
    Integer maxConcurrent,
    Integer overrideCount,
    List<OwnLimit> overrides,
    JsonNode rate,
    String rateSource,
    String source,
    Integer tenantMaxConcurrent,
    JsonNode tenantRate,
    String tenantSource,
    Integer workflowMaxConcurrent,
    JsonNode workflowRate,
    String workflowSource) {}
