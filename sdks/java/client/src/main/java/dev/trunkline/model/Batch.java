// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A bulk operation.
 *
 * @param createdAt createdAt.
 * @param done Number of processed items.
 * @param failed Number of failed items.
 * @param id id.
 * @param kind Operation: <code>dead_letters.requeue</code> or <code>dead_letters.archive</code>.
 * @param status <code>running</code>, <code>completed</code>, <code>aborted</code> or <code>failed</code>.
 * @param total Number of matching items.
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
