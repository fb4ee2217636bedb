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
 * @param status The HTTP status.
 * @param title The HTTP status in words.
 * @param type A URN that ends in the code.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Problem(
    String code,
    String detail,
    List<Fault> errors,
    Integer status,
    String title,
    String type) {}
