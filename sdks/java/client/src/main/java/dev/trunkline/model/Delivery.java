// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A request to a webhook endpoint.
 *
 * @param body The exact body, encoded as <code>bodyEncoding</code>. Absent in lists and if it is not stored. May be null.
 * @param bodyBytes Size of the body in bytes, even if the body is not stored.
 * @param bodyEncoding <code>text</code> if the body is UTF-8, otherwise <code>base64</code>. May be null.
 * @param curl A curl command that sends the request again, without redacted values. Absent in lists and for events. May be null.
 * @param duplicateOf For a duplicate, the first delivery. May be null.
 * @param eventType Event type of the provider, or the name of the event. May be null.
 * @param executions Executions that the delivery started.
 * @param headers Header names and values in order, with signatures, tokens and cookies redacted. Absent in lists. May be null.
 * @param id id.
 * @param jobId Its job on <code>workflow-webhook</code>. May be null.
 * @param method HTTP method; null for an event. May be null.
 * @param omitted The body, if it is larger than <code>maxPayload</code> and therefore absent here. May be null.
 * @param payloadDroppedAt When retention dropped the body. <code>bodyBytes</code> is 0 from then on. May be null.
 * @param processedAt When the triggers were evaluated. May be null.
 * @param providerEventId Event ID of the provider, or of the sender. May be null.
 * @param reason Reason for rejecting or parking the delivery. May be null.
 * @param receivedAt receivedAt.
 * @param remoteAddress remoteAddress. May be null.
 * @param replayOf For a replay, the original delivery. May be null.
 * @param secretId ID of the secret that verified the delivery. May be null.
 * @param source How it was received: <code>webhook</code> or <code>event</code>.
 * @param status status.
 * @param target Path and query, with sensitive values redacted; null for an event. May be null.
 * @param tenant tenant.
 * @param traceparent traceparent. May be null.
 * @param triggers Result of each trigger. Absent in lists and before the triggers are evaluated. May be null.
 * @param webhookId The endpoint; null for an event. May be null.
 * @param woke Nodes of waiting executions that the delivery woke, up to about 1,000.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Delivery(
    String body,
    Long bodyBytes,
    String bodyEncoding,
    String curl,
    String duplicateOf,
    String eventType,
    List<String> executions,
    List<List<String>> headers,
    String id,
    String jobId,
    String method,
    List<OmittedPayload> omitted,
    Instant payloadDroppedAt,
    Instant processedAt,
    String providerEventId,
    String reason,
    Instant receivedAt,
    String remoteAddress,
    String replayOf,
    String secretId,
    DeliverySource source,
    DeliveryStatus status,
    String target,
    String tenant,
    String traceparent,
    List<DeliveryTriggerOutcome> triggers,
    String webhookId,
    List<WokenNode> woke) {}
