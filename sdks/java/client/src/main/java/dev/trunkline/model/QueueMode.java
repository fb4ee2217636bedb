// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The mode of a queue.
 *
 * @param mode mode.
 * @param paused Whether the queue is paused, so that no jobs start.
 * @param queue queue.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record QueueMode(
    QueueModeKind mode,
    Boolean paused,
    QueueName queue) {}
