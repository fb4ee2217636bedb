// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A saved view of a list.
 *
 * @param columns columns.
 * @param createdAt createdAt.
 * @param id id.
 * @param list list.
 * @param name name.
 * @param order order. May be null.
 * @param own Whether the caller saved it.
 * @param owner Who saved it.
 * @param q q.
 * @param shared shared.
 * @param sort sort. May be null.
 * @param updatedAt updatedAt.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record View(
    List<String> columns,
    Instant createdAt,
    String id,
    String list,
    String name,
    String order,
    Boolean own,
    String owner,
    String q,
    Boolean shared,
    String sort,
    Instant updatedAt) {}
