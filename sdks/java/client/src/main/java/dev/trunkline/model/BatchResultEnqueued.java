// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What became of one item.
 *
 * @param existing Whether an unfinished job with the same unique key was there already; absent when it is new. May be null.
 * @param id Its id. May be null.
 * @param position Its place: smaller positions of a lane are served first. May be null.
 * @param status Its status. May be null.
 * @param error Why. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record BatchResultEnqueued(
    Boolean existing,
    String id,
    Long position,
    JobStatus status,
    Problem error) {}
