// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Why an execution does not go on.
 *
 * @param detail A sentence.
 * @param job Why its own job does not run, where that is what it waits for. May be null.
 * @param reason <code>finished</code>, <code>waiting</code> (see <code>waitsFor</code>), <code>running</code>, or, where nobody can take it up, why its own job does not run, such as <code>limit_workflow</code>.
 * @param status status.
 * @param waitsFor What its nodes wait for, in the order of the definition, at most a hundred.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExecutionWhy(
    String detail,
    Why job,
    String reason,
    ExecutionStatus status,
    List<NodeWait> waitsFor) {}
