// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The first broken link of the hash chain.
 *
 * @param id ID of the entry, if it exists. May be null.
 * @param problem <code>hash</code>: changed; <code>missing</code>: removed; <code>order</code>: does not follow the previous entry; <code>head</code>: the end was changed.
 * @param seq Number of the entry.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AuditFault(
    String id,
    String problem,
    Long seq) {}
