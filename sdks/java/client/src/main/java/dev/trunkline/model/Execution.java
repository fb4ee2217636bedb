// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * An execution.
 *
 * @param attributes Searchable attributes by name. May be null.
 * @param completedAt completedAt. May be null.
 * @param correlationId correlationId. May be null.
 * @param createdAt createdAt.
 * @param error error. May be null.
 * @param fingerprint Fingerprint of the most recent dead letter among its jobs. May be null.
 * @param id id.
 * @param input Input. Absent in lists. May be null.
 * @param jobId jobId.
 * @param omitted Payloads larger than <code>maxPayload</code>, which are null here. May be null.
 * @param output Output, once the status is <code>COMPLETED</code>. Absent in lists. May be null.
 * @param parent Parent execution. May be null.
 * @param payloadDroppedAt When retention dropped the input and output of the execution and its nodes, which are null from then on. May be null.
 * @param priority priority.
 * @param startedAt startedAt. May be null.
 * @param status status.
 * @param tags tags. May be null.
 * @param tenant tenant.
 * @param traceparent traceparent. May be null.
 * @param trigger trigger.
 * @param uniqueKey Unique key. May be null.
 * @param version version.
 * @param workflow workflow.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Execution(
    Map<String, JsonNode> attributes,
    Instant completedAt,
    String correlationId,
    Instant createdAt,
    ExecutionError error,
    String fingerprint,
    String id,
    JsonNode input,
    String jobId,
    List<OmittedPayload> omitted,
    JsonNode output,
    Parent parent,
    Instant payloadDroppedAt,
    Priority priority,
    Instant startedAt,
    ExecutionStatus status,
    List<String> tags,
    String tenant,
    String traceparent,
    Trigger trigger,
    String uniqueKey,
    Integer version,
    String workflow) {}
