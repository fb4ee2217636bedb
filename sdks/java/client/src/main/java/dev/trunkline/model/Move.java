// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A move of the store.
 *
 * @param error Why the move failed. May be null.
 * @param id id.
 * @param pausedMs How long work was paused, in milliseconds. May be null.
 * @param phase <code>copying</code> (work continues), <code>finishing</code> (work is paused), <code>done</code> or <code>failed</code> (work continues on the old database).
 * @param rowsCopied Rows copied while work continued; rows that changed meanwhile count again.
 * @param rowsLeft Rows copied while work was paused. May be null.
 * @param rowsTotal Rows of the database when the move started; 0 until they are counted.
 * @param startedAt startedAt.
 * @param to New database, without credentials.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Move(
    String error,
    String id,
    Long pausedMs,
    String phase,
    Long rowsCopied,
    Long rowsLeft,
    Long rowsTotal,
    Instant startedAt,
    String to) {}
