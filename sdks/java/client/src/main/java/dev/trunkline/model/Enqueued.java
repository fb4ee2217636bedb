// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An accepted job.
 *
 * @param existing True if an unfinished job with the same unique key already exists; absent for a new job. May be null.
 * @param id Job ID.
 * @param position Queue position: lower positions of a lane are processed first.
 * @param status Status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Enqueued(
    Boolean existing,
    String id,
    Long position,
    JobStatus status) {}
