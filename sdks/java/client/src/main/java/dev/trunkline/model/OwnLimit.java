// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The values set for one tenant, workflow or job type, or for a job type of one tenant.
 *
 * @param jobType jobType. May be null.
 * @param maxConcurrent Maximum number of concurrent jobs; null means unlimited; absent if only a rate is set. May be null.
 * @param rate Starts per period; absent if only a limit is set. May be null.
 * @param tenant The tenant; for a workflow, the tenant that owns it. May be null.
 * @param workflow workflow. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record OwnLimit(
    String jobType,
    Integer maxConcurrent,
    JsonNode rate,
    String tenant,
    String workflow) {}
