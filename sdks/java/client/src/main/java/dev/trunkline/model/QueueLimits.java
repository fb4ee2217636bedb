// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Effective limits of one queue with their sources.
 *
 * @param maxConcurrent Maximum number of concurrent jobs; null is unlimited. May be null.
 * @param source <code>override</code>, <code>definition</code>, <code>default</code> or <code>settings</code>.
 * @param tenantMaxConcurrent Limit of each tenant without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param tenantSource tenantSource. May be null.
 * @param workflowMaxConcurrent Limit of each workflow without its own limit. Only on <code>/v1/limits</code>. May be null.
 * @param workflowSource workflowSource. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueLimits(
    Integer maxConcurrent,
    String source,
    Integer tenantMaxConcurrent,
    String tenantSource,
    Integer workflowMaxConcurrent,
    String workflowSource) {}
