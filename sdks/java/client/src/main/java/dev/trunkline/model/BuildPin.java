// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A job type that only workers of certain builds take.
 *
 * @param builds The builds that take its jobs.
 * @param jobType jobType.
 * @param since Time of the pin; of a worker's pin when that worker began.
 * @param source <code>operator</code>, or <code>worker</code> where a worker pinned it as it began.
 * @param tenant Tenant whose jobs are meant; absent for those of all tenants without a pin of their own. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BuildPin(
    List<String> builds,
    String jobType,
    Instant since,
    String source,
    String tenant) {}
