// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A dead letter after it was requeued or archived.
 *
 * @param id id.
 * @param jobId Job ID, which does not change.
 * @param status status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeadLetterChange(
    String id,
    String jobId,
    DeadLetterStatus status) {}
