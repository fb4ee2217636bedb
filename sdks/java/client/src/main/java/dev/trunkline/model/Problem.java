// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A problem document (RFC 9457).
 *
 * @param code Stable error code for programs.
 * @param detail Description of this occurrence.
 * @param errors Errors of an invalid request, each with its location. May be null.
 * @param existingId With <code>execution_exists</code>: ID of the open execution. May be null.
 * @param hint With <code>attribute_undeclared</code>: command that declares the attribute. May be null.
 * @param limit With <code>quota_exceeded</code>: value of the quota. May be null.
 * @param quota With <code>quota_exceeded</code>: name of the quota. May be null.
 * @param status HTTP status code.
 * @param title HTTP status text.
 * @param type URN that ends in the code.
 * @param used With <code>quota_exceeded</code>: current usage. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Problem(
    String code,
    String detail,
    List<Fault> errors,
    String existingId,
    String hint,
    Long limit,
    String quota,
    Integer status,
    String title,
    String type,
    Long used) {}
