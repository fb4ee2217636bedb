// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A request that came to an endpoint.
 *
 * @param body The exact body, as <code>bodyEncoding</code> says. Not in lists, nor where it is not kept. May be null.
 * @param bodyBytes How long the body was, also where it is not kept.
 * @param bodyEncoding <code>text</code> if the body is UTF-8, else <code>base64</code>. May be null.
 * @param curl A command line that sends it again, without what was redacted. Not in lists. May be null.
 * @param duplicateOf The delivery that it repeats. May be null.
 * @param eventType What the provider calls the event. May be null.
 * @param executions What it started.
 * @param headers Names and values in order; signatures, tokens and cookies redacted. Not in lists. May be null.
 * @param id id.
 * @param jobId Its job on <code>workflow-webhook</code>. May be null.
 * @param method method.
 * @param processedAt When the triggers were matched. May be null.
 * @param providerEventId The provider's id of the event. May be null.
 * @param reason Why it was rejected or parked. May be null.
 * @param receivedAt receivedAt.
 * @param remoteAddress remoteAddress. May be null.
 * @param replayOf The delivery that it replays. May be null.
 * @param secretId The secret that verified it. May be null.
 * @param status status.
 * @param target Path and query, values of telling names redacted.
 * @param tenant tenant.
 * @param traceparent traceparent. May be null.
 * @param triggers What each trigger came to. Not in lists, nor before it was matched. May be null.
 * @param webhookId webhookId.
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
    Instant processedAt,
    String providerEventId,
    String reason,
    Instant receivedAt,
    String remoteAddress,
    String replayOf,
    String secretId,
    DeliveryStatus status,
    String target,
    String tenant,
    String traceparent,
    List<DeliveryTriggerOutcome> triggers,
    String webhookId) {}
