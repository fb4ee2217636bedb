// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An accepted job.
 *
 * @param existing Whether an unfinished job with the same unique key was there already; absent when it is new. May be null.
 * @param id Its id.
 * @param position Its place: smaller positions of a lane are served first.
 * @param status Its status.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Enqueued(
    Boolean existing,
    String id,
    Long position,
    JobStatus status) {}
