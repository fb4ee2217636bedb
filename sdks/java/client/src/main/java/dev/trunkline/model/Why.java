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
 * @param reason reason.
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
    WhyReason reason,
    Integer running) {}
