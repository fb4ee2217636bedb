// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A problem document (RFC 9457).
 *
 * @param code A stable word for programs.
 * @param detail A sentence about this very case.
 * @param errors The faults of an invalid request, each with its place. May be null.
 * @param limit With <code>quota_exceeded</code>: how much there may be. May be null.
 * @param quota With <code>quota_exceeded</code>: which quota. May be null.
 * @param status The HTTP status.
 * @param title The HTTP status in words.
 * @param type A URN that ends in the code.
 * @param used With <code>quota_exceeded</code>: how much there is. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Problem(
    String code,
    String detail,
    List<Fault> errors,
    Long limit,
    String quota,
    Integer status,
    String title,
    String type,
    Long used) {}
