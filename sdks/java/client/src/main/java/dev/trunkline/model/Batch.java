// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A bulk operation.
 *
 * @param createdAt createdAt.
 * @param done How many are done.
 * @param failed How many could not be done.
 * @param id id.
 * @param kind What it does: <code>dead_letters.requeue</code> or <code>dead_letters.archive</code>.
 * @param status <code>running</code>, <code>completed</code>, <code>aborted</code> or <code>failed</code>.
 * @param total How many items matched.
 * @param updatedAt updatedAt.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Batch(
    Instant createdAt,
    Long done,
    Long failed,
    String id,
    String kind,
    String status,
    Long total,
    Instant updatedAt) {}
