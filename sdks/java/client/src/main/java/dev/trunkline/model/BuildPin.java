// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A job type whose jobs only workers of certain builds receive.
 *
 * @param builds The builds whose workers receive its jobs.
 * @param jobType jobType.
 * @param since When the pin was set; for a worker's pin, when that worker started.
 * @param source <code>operator</code>, or <code>worker</code> if a worker set the pin when it started.
 * @param tenant Tenant whose jobs the pin applies to; absent for a pin that applies to all tenants without their own. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BuildPin(
    List<String> builds,
    String jobType,
    Instant since,
    String source,
    String tenant) {}
