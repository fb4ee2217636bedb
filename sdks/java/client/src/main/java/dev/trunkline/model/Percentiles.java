// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Three percentiles in milliseconds.
 *
 * @param p50 p50.
 * @param p95 p95.
 * @param p99 p99.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Percentiles(
    Long p50,
    Long p95,
    Long p99) {}
