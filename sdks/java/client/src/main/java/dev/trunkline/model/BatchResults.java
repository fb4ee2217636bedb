// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * Result of each item of a batch, in order.
 *
 * @param <T> what it holds
 * @param results one result for each item
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record BatchResults<T>(List<T> results) {}
