// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The rate of a rate key.
 *
 * @param key Rate key, or a prefix of rate keys that ends in <code>*</code>.
 * @param maxConcurrent Maximum number of concurrent jobs of each key; absent if unlimited. May be null.
 * @param rate Starts per period of each key.
 * @param tenant tenant.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record KeyRate(
    String key,
    Integer maxConcurrent,
    JsonNode rate,
    String tenant) {}
