// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How long finished jobs of a queue are kept.
 *
 * @param cancelled Cancelled jobs. May be null.
 * @param completed Completed jobs. May be null.
 * @param failed Failed jobs, and jobs of resolved dead letters. May be null.
 * @param payloads Data and results; null: as long as the jobs. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueRetention(
    String cancelled,
    String completed,
    String failed,
    String payloads) {}
