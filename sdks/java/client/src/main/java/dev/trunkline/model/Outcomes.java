// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The outcomes of the reports, in order.
 *
 * @param drain True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise. May be null.
 * @param jobs Leased jobs, in the order in which to start them; present if the reports came with a <code>poll</code>. May be null.
 * @param results One outcome per report.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Outcomes(
    Boolean drain,
    List<PolledJob> jobs,
    List<Outcome> results) {}
