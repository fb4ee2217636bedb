// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A shard of job types.
 *
 * @param node Name of the node that publishes its offers. May be null.
 * @param shard shard.
 * @param term Number of the term, which increases with each new owner.
 * @param until Time at which the term ends unless it is renewed. Present with <code>node</code>. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DispatchShard(
    String node,
    Integer shard,
    Long term,
    Instant until) {}
