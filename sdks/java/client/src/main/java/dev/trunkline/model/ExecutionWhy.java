// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What an execution is waiting for.
 *
 * @param detail Explanation.
 * @param job Why its own job is not running, if the execution waits for that. May be null.
 * @param reason <code>finished</code>, <code>waiting</code> (see <code>waitsFor</code>), <code>running</code>, or the reason why its own job is not running, such as <code>limit_workflow</code>.
 * @param status status.
 * @param waitsFor What its nodes wait for, in definition order, at most 100.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExecutionWhy(
    String detail,
    Why job,
    WhyReason reason,
    ExecutionStatus status,
    List<NodeWait> waitsFor) {}
