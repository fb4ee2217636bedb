// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * Part of a list.
 *
 * @param <T> what it holds
 * @param items the items
 * @param nextCursor the <code>cursor</code> of the next part, null at the end
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Page<T>(List<T> items, String nextCursor) {}
