// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Server status.
 *
 * @param brokerAwaySince Time since which this server has been unable to reach Kafka, if it publishes jobs there. Meanwhile, jobs wait in the database. May be null.
 * @param status <code>ok</code> or <code>ready</code>.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Health(
    Instant brokerAwaySince,
    String status) {}
