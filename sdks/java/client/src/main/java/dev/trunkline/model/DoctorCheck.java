// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * A check.
 *
 * @param check What was checked, such as <code>snapshots</code>.
 * @param detail What was found.
 * @param evidence Objects that the finding is based on. May be null.
 * @param fix How to fix it; present with <code>warn</code> and <code>fail</code>. May be null.
 * @param status status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DoctorCheck(
    String check,
    String detail,
    List<Map<String, JsonNode>> evidence,
    String fix,
    DoctorCheckStatus status) {}
