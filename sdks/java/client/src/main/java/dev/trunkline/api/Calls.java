// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.api;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.model.*;
import java.util.Map;

/** Every call of the REST API. {@link dev.trunkline.TrunklineClient} is the friendlier way. */
public final class Calls {
  private final Transport transport;

  /**
   * The calls over a transport.
   *
   * @param transport what carries them
   */
  public Calls(Transport transport) {
    this.transport = transport;
  }

  /**
   * List alerts, newest first. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>status</code>, <code>rule</code>, <code>severity</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Alert> listAlerts(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listAlerts", "GET", "/v1/alerts", query, null, false), new TypeReference<Page<Alert>>() {}, options);
  }

  /**
   * List notifications, newest first. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>status</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<AlertNotification> listNotifications(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listNotifications", "GET", "/v1/alerts/notifications", query, null, false), new TypeReference<Page<AlertNotification>>() {}, options);
  }

  /**
   * Send a notification again. Only for a notification that has not been sent. The count of attempts starts again from zero.
   * 
   * Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the notification.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AlertNotification retryNotification(String id, CallOptions options) {
    return transport.call(new Request("retryNotification", "POST", "/v1/alerts/notifications/" + Request.escape(id) + "/retry", Map.of(), null, true), new TypeReference<AlertNotification>() {}, options);
  }

  /**
   * List alert routes by name. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<AlertRoute> listRoutes(CallOptions options) {
    return transport.call(new Request("listRoutes", "GET", "/v1/alerts/routes", Map.of(), null, false), new TypeReference<Page<AlertRoute>>() {}, options);
  }

  /**
   * Show an alert route. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the alert route.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AlertRoute getRoute(String name, CallOptions options) {
    return transport.call(new Request("getRoute", "GET", "/v1/alerts/routes/" + Request.escape(name), Map.of(), null, false), new TypeReference<AlertRoute>() {}, options);
  }

  /**
   * Set an alert route. Webhook requests are signed according to Standard Webhooks. If <code>secret</code> is absent, one is generated and shown once.
   * 
   * Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the alert route.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AlertRoute putRoute(String name, AlertRouteRequest body, CallOptions options) {
    return transport.call(new Request("putRoute", "PUT", "/v1/alerts/routes/" + Request.escape(name), Map.of(), body, true), new TypeReference<AlertRoute>() {}, options);
  }

  /**
   * Delete an alert route. Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the alert route.
   * @param options deadline and idempotency key
   */
  public void deleteRoute(String name, CallOptions options) {
    transport.call(new Request("deleteRoute", "DELETE", "/v1/alerts/routes/" + Request.escape(name), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Send a test notification. Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the alert route.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AlertNotification testRoute(String name, CallOptions options) {
    return transport.call(new Request("testRoute", "POST", "/v1/alerts/routes/" + Request.escape(name) + "/test", Map.of(), null, true), new TypeReference<AlertNotification>() {}, options);
  }

  /**
   * List alert rules by name. Includes the default rules and the rules that were set.
   * 
   * Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<AlertRule> listRules(CallOptions options) {
    return transport.call(new Request("listRules", "GET", "/v1/alerts/rules", Map.of(), null, false), new TypeReference<Page<AlertRule>>() {}, options);
  }

  /**
   * Show an alert rule. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the alert rule.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AlertRule getRule(String name, CallOptions options) {
    return transport.call(new Request("getRule", "GET", "/v1/alerts/rules/" + Request.escape(name), Map.of(), null, false), new TypeReference<AlertRule>() {}, options);
  }

  /**
   * Set an alert rule. Replaces an existing rule of the same name, including a default rule.
   * 
   * Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the alert rule.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AlertRule putRule(String name, AlertRuleRequest body, CallOptions options) {
    return transport.call(new Request("putRule", "PUT", "/v1/alerts/rules/" + Request.escape(name), Map.of(), body, true), new TypeReference<AlertRule>() {}, options);
  }

  /**
   * Delete an alert rule. Deleting a rule that replaces a default rule restores the default. To disable a default rule, set <code>enabled: false</code>.
   * 
   * Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the alert rule.
   * @param options deadline and idempotency key
   */
  public void deleteRule(String name, CallOptions options) {
    transport.call(new Request("deleteRule", "DELETE", "/v1/alerts/rules/" + Request.escape(name), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List silences, newest first. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Silence> listSilences(CallOptions options) {
    return transport.call(new Request("listSilences", "GET", "/v1/alerts/silences", Map.of(), null, false), new TypeReference<Page<Silence>>() {}, options);
  }

  /**
   * Silence alerts. No notifications are sent while the silence lasts. Alerts that still fire when it ends are sent then.
   * 
   * Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Silence addSilence(SilenceRequest body, CallOptions options) {
    return transport.call(new Request("addSilence", "POST", "/v1/alerts/silences", Map.of(), body, true), new TypeReference<Silence>() {}, options);
  }

  /**
   * Show a silence that has not ended. Action <code>alerts.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the silence.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Silence getSilence(String id, CallOptions options) {
    return transport.call(new Request("getSilence", "GET", "/v1/alerts/silences/" + Request.escape(id), Map.of(), null, false), new TypeReference<Silence>() {}, options);
  }

  /**
   * End a silence. Action <code>alerts.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the silence.
   * @param options deadline and idempotency key
   */
  public void endSilence(String id, CallOptions options) {
    transport.call(new Request("endSilence", "DELETE", "/v1/alerts/silences/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List API keys without their secrets, newest first. Action <code>keys.read</code>: requires role <code>admin</code>.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<ApiKey> listKeys(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listKeys", "GET", "/v1/api-keys", query, null, false), new TypeReference<Page<ApiKey>>() {}, options);
  }

  /**
   * Create an API key. The secret is shown only in this response.
   * 
   * Action <code>keys.write</code>: requires role <code>admin</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public NewApiKey createKey(ApiKeyRequest body, CallOptions options) {
    return transport.call(new Request("createKey", "POST", "/v1/api-keys", Map.of(), body, true), new TypeReference<NewApiKey>() {}, options);
  }

  /**
   * Revoke an API key. Action <code>keys.write</code>: requires role <code>admin</code>.
   *
   * @param id ID of the API key.
   * @param options deadline and idempotency key
   */
  public void revokeKey(String id, CallOptions options) {
    transport.call(new Request("revokeKey", "DELETE", "/v1/api-keys/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Rotate the secret of an API key. The secret is shown only in this response. ID, role and scopes do not change. The previous secret stays valid for
   * <code>overlap</code>.
   * 
   * Action <code>keys.write</code>: requires role <code>admin</code>.
   *
   * @param id ID of the API key.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public NewApiKey rotateKey(String id, KeyRotation body, CallOptions options) {
    return transport.call(new Request("rotateKey", "POST", "/v1/api-keys/" + Request.escape(id) + "/rotate", Map.of(), body, true), new TypeReference<NewApiKey>() {}, options);
  }

  /**
   * List archived dead letters, newest first. Action <code>deadLetters.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>, <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>tag</code>, <code>workerId</code>, <code>executionId</code>, <code>scheduleId</code>, <code>deliveryId</code>, <code>diedAfter</code>, <code>diedBefore</code>, <code>resolvedAfter</code>, <code>resolvedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<DeadLetter> listArchive(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listArchive", "GET", "/v1/archive", query, null, false), new TypeReference<Page<DeadLetter>>() {}, options);
  }

  /**
   * List the audit log, newest first. Several values of a parameter are separated by commas; any of them matches.
   * 
   * Action <code>audit.read</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param query any of <code>actor</code>, <code>action</code>, <code>subject</code>, <code>tenant</code>, <code>address</code>, <code>requestId</code>, <code>outcome</code>, <code>door</code>, <code>batch</code>, <code>atAfter</code>, <code>atBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<AuditLine> listAudit(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listAudit", "GET", "/v1/audit", query, null, false), new TypeReference<Page<AuditLine>>() {}, options);
  }

  /**
   * Verify the hash chain of the audit log. Verifies at most 10,000 entries; continue with <code>from</code> = <code>last.seq</code> + 1 until <code>last.seq</code> is <code>head.seq</code>. Requires a key that is
   * not bound to a tenant.
   * 
   * Action <code>audit.read</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param query any of <code>from</code>, <code>to</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AuditVerification verifyAudit(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("verifyAudit", "GET", "/v1/audit/verify", query, null, false), new TypeReference<AuditVerification>() {}, options);
  }

  /**
   * List bulk operations, newest first. Action <code>batches.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>kind</code>, <code>status</code>, <code>actor</code>, <code>createdAfter</code>, <code>createdBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Batch> listBatches(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listBatches", "GET", "/v1/batches", query, null, false), new TypeReference<Page<Batch>>() {}, options);
  }

  /**
   * Show the progress of a bulk operation. Action <code>batches.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the bulk operation.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch getBatch(String id, CallOptions options) {
    return transport.call(new Request("getBatch", "GET", "/v1/batches/" + Request.escape(id), Map.of(), null, false), new TypeReference<Batch>() {}, options);
  }

  /**
   * Abort a bulk operation. Changes that were already made are kept.
   * 
   * Action <code>batches.abort</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the bulk operation.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch abortBatch(String id, CallOptions options) {
    return transport.call(new Request("abortBatch", "POST", "/v1/batches/" + Request.escape(id) + "/abort", Map.of(), null, true), new TypeReference<Batch>() {}, options);
  }

  /**
   * List the objects of a bulk operation and their outcomes, in processing order. Action <code>batches.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the bulk operation.
   * @param query any of <code>outcome</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<BatchItem> listBatchItems(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listBatchItems", "GET", "/v1/batches/" + Request.escape(id) + "/items", query, null, false), new TypeReference<Page<BatchItem>>() {}, options);
  }

  /**
   * Pause a bulk operation. Action <code>batches.pause</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the bulk operation.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch pauseBatch(String id, CallOptions options) {
    return transport.call(new Request("pauseBatch", "POST", "/v1/batches/" + Request.escape(id) + "/pause", Map.of(), null, true), new TypeReference<Batch>() {}, options);
  }

  /**
   * Resume a paused bulk operation. Action <code>batches.pause</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the bulk operation.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch resumeBatch(String id, CallOptions options) {
    return transport.call(new Request("resumeBatch", "POST", "/v1/batches/" + Request.escape(id) + "/resume", Map.of(), null, true), new TypeReference<Batch>() {}, options);
  }

  /**
   * List job types that are pinned to builds. Action <code>builds.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public BuildPins listBuildPins(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listBuildPins", "GET", "/v1/builds", query, null, false), new TypeReference<BuildPins>() {}, options);
  }

  /**
   * Show the status of a command. Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param position Position of the command, from the response that accepted it.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Command getCommand(String position, CallOptions options) {
    return transport.call(new Request("getCommand", "GET", "/v1/commands/" + Request.escape(position), Map.of(), null, false), new TypeReference<Command>() {}, options);
  }

  /**
   * List dead letters, newest first. Action <code>deadLetters.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>, <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>tag</code>, <code>workerId</code>, <code>executionId</code>, <code>scheduleId</code>, <code>deliveryId</code>, <code>diedAfter</code>, <code>diedBefore</code>, <code>resolvedAfter</code>, <code>resolvedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<DeadLetter> listDeadLetters(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listDeadLetters", "GET", "/v1/dead-letters", query, null, false), new TypeReference<Page<DeadLetter>>() {}, options);
  }

  /**
   * Archive many dead letters. Action <code>deadLetters.archive</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode archiveDeadLetters(BulkOperationRequest body, CallOptions options) {
    return transport.call(new Request("archiveDeadLetters", "POST", "/v1/dead-letters/archive", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * List open dead letters grouped by error, largest group first. A resolved group reopens when the error occurs again. An ignored group reopens at the given instant, after the given
   * number of dead letters, or with the given version. With <code>state</code>, only the largest 500 groups are considered.
   * 
   * Action <code>deadLetters.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>, <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>state</code>, <code>from</code>, <code>to</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<DeadLetterGroup> listGroups(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listGroups", "GET", "/v1/dead-letters/groups", query, null, false), new TypeReference<Page<DeadLetterGroup>>() {}, options);
  }

  /**
   * Ignore a group of dead letters. The group is ignored until a given instant, until a given number of further dead letters, until the error occurs in
   * a given version of a workflow, or until someone reopens it.
   * 
   * Action <code>deadLetters.resolve</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param fingerprint Fingerprint of the failure, as shown by dead letters and their groups.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterGroupStanding ignoreGroup(String fingerprint, GroupIgnoreRequest body, CallOptions options) {
    return transport.call(new Request("ignoreGroup", "POST", "/v1/dead-letters/groups/" + Request.escape(fingerprint) + "/ignore", Map.of(), body, true), new TypeReference<DeadLetterGroupStanding>() {}, options);
  }

  /**
   * Reopen a group of dead letters. Action <code>deadLetters.resolve</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param fingerprint Fingerprint of the failure, as shown by dead letters and their groups.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterGroupStanding reopenGroup(String fingerprint, GroupDecisionRequest body, CallOptions options) {
    return transport.call(new Request("reopenGroup", "POST", "/v1/dead-letters/groups/" + Request.escape(fingerprint) + "/reopen", Map.of(), body, true), new TypeReference<DeadLetterGroupStanding>() {}, options);
  }

  /**
   * Resolve a group of dead letters. Its dead letters do not change. The group reopens automatically when the error occurs again.
   * 
   * Action <code>deadLetters.resolve</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param fingerprint Fingerprint of the failure, as shown by dead letters and their groups.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterGroupStanding resolveGroup(String fingerprint, GroupDecisionRequest body, CallOptions options) {
    return transport.call(new Request("resolveGroup", "POST", "/v1/dead-letters/groups/" + Request.escape(fingerprint) + "/resolve", Map.of(), body, true), new TypeReference<DeadLetterGroupStanding>() {}, options);
  }

  /**
   * Requeue many dead letters. Action <code>deadLetters.requeue</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode requeueDeadLetters(BulkRequeueRequest body, CallOptions options) {
    return transport.call(new Request("requeueDeadLetters", "POST", "/v1/dead-letters/requeue", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show a dead letter with its attempts. Action <code>deadLetters.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the dead letter.
   * @param query any of <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetter getDeadLetter(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getDeadLetter", "GET", "/v1/dead-letters/" + Request.escape(id), query, null, false), new TypeReference<DeadLetter>() {}, options);
  }

  /**
   * Archive a dead letter. Action <code>deadLetters.archive</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the dead letter.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterChange archiveDeadLetter(String id, ArchiveRequest body, CallOptions options) {
    return transport.call(new Request("archiveDeadLetter", "POST", "/v1/dead-letters/" + Request.escape(id) + "/archive", Map.of(), body, true), new TypeReference<DeadLetterChange>() {}, options);
  }

  /**
   * Get the data of a dead letter. Action <code>deadLetters.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the dead letter.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getDeadLetterData(String id, CallOptions options) {
    return transport.call(new Request("getDeadLetterData", "GET", "/v1/dead-letters/" + Request.escape(id) + "/data", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Requeue a dead letter. The job returns to its queue with its original ID, its history and a new retry budget. Repeating the call creates no
   * second job.
   * 
   * Action <code>deadLetters.requeue</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the dead letter.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterChange requeueDeadLetter(String id, RequeueRequest body, CallOptions options) {
    return transport.call(new Request("requeueDeadLetter", "POST", "/v1/dead-letters/" + Request.escape(id) + "/requeue", Map.of(), body, true), new TypeReference<DeadLetterChange>() {}, options);
  }

  /**
   * List deliveries, newest first. Includes deliveries of every status (accepted, held, matched, unmatched, parked, duplicate, rejected, handshake) and
   * of deleted endpoints.
   * 
   * Action <code>deliveries.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>source</code>, <code>webhookId</code>, <code>tenant</code>, <code>status</code>, <code>eventType</code>, <code>reason</code>, <code>remoteAddress</code>, <code>executionId</code>, <code>receivedAfter</code>, <code>receivedBefore</code>, <code>processedAfter</code>, <code>processedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Delivery> listDeliveries(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listDeliveries", "GET", "/v1/deliveries", query, null, false), new TypeReference<Page<Delivery>>() {}, options);
  }

  /**
   * Replay many deliveries. Action <code>deliveries.replay</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode replayDeliveries(BulkReplayRequest body, CallOptions options) {
    return transport.call(new Request("replayDeliveries", "POST", "/v1/deliveries/replay", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show a delivery with its headers and its body. Action <code>deliveries.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the delivery.
   * @param query any of <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Delivery getDelivery(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getDelivery", "GET", "/v1/deliveries/" + Request.escape(id), query, null, false), new TypeReference<Delivery>() {}, options);
  }

  /**
   * Replay a delivery. Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
   * deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
   * with <code>allTriggers</code>.
   * 
   * Action <code>deliveries.replay</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the delivery.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public ReplayedDelivery replayDelivery(String id, ReplayRequest body, CallOptions options) {
    return transport.call(new Request("replayDelivery", "POST", "/v1/deliveries/" + Request.escape(id) + "/replay", Map.of(), body, true), new TypeReference<ReplayedDelivery>() {}, options);
  }

  /**
   * Move the time of a development server. Only on a server started with <code>trunkline dev --time-skip</code>; other servers return 409 <code>time_is_real</code>. On such a
   * server, schedules fire only through this call. The call waits while a job is leased or a request is in progress, and
   * returns 409 <code>time_is_held</code> after 20 seconds.
   * 
   * Action <code>time.move</code>: requires role <code>admin</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DevTime moveTime(TimeMoveRequest body, CallOptions options) {
    return transport.call(new Request("moveTime", "POST", "/v1/dev/time", Map.of(), body, true), new TypeReference<DevTime>() {}, options);
  }

  /**
   * Get the state of dispatch. Returns the mode, the nodes with their relays, the shards with their owners and terms, the open offers, and the jobs
   * that wait for an offer. The figures of a relay are updated when it renews its term, every few seconds. Requires a
   * key that is not bound to a tenant.
   * 
   * Action <code>servers.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Dispatch getDispatch(CallOptions options) {
    return transport.call(new Request("getDispatch", "GET", "/v1/dispatch", Map.of(), null, false), new TypeReference<Dispatch>() {}, options);
  }

  /**
   * Check the deployment. Checks schema, connection pooler, old snapshots, dead rows, clocks, leases, parked executions, disk, certificates,
   * keys and dispatch. Each warning and failure says how to fix it. Requires role <code>admin</code> and a key that is not bound to
   * a tenant.
   * 
   * Action <code>doctor.read</code>: requires role <code>admin</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Doctor examine(CallOptions options) {
    return transport.call(new Request("examine", "GET", "/v1/doctor", Map.of(), null, false), new TypeReference<Doctor>() {}, options);
  }

  /**
   * Send an event. Matching triggers start workflows, and executions that wait for the event continue. A 202 means that the event is
   * stored durably. A duplicate of an event of the last 24 hours returns 200 with the first delivery.
   * 429 <code>quota_exceeded</code> with the quota <code>waitingStartBytes</code> if a trigger would delay the start and no more starts may wait.
   * 
   * Action <code>events.send</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public SentEvent sendEvent(EventRequest body, CallOptions options) {
    return transport.call(new Request("sendEvent", "POST", "/v1/events", Map.of(), body, true), new TypeReference<SentEvent>() {}, options);
  }

  /**
   * Send many events in one commit. Atomic: all events are accepted, or none.
   * 
   * Action <code>events.send</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public SentEvents sendEventBatch(EventBatch body, CallOptions options) {
    return transport.call(new Request("sendEventBatch", "POST", "/v1/events/batch", Map.of(), body, true), new TypeReference<SentEvents>() {}, options);
  }

  /**
   * List executions, newest first. Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>workflow</code>, <code>version</code>, <code>status</code>, <code>tenant</code>, <code>priority</code>, <code>tag</code>, <code>trigger</code>, <code>fingerprint</code>, <code>correlationId</code>, <code>uniqueKey</code>, <code>parent</code>, <code>scheduleId</code>, <code>webhookId</code>, <code>deliveryId</code>, <code>createdAfter</code>, <code>createdBefore</code>, <code>startedAfter</code>, <code>startedBefore</code>, <code>completedAfter</code>, <code>completedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Execution> listExecutions(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listExecutions", "GET", "/v1/executions", query, null, false), new TypeReference<Page<Execution>>() {}, options);
  }

  /**
   * Start an execution. A 202 means that the execution is stored durably. With <code>wait</code>, the response is 200 with the ended execution, or 202
   * when the timeout expires.
   * 
   * Action <code>executions.start</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param query any of <code>wait</code>, <code>timeout</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode startExecution(ExecutionRequest body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("startExecution", "POST", "/v1/executions", query, body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Start many executions in one commit. Atomic, unless <code>partial</code> is true: then valid executions are accepted and each invalid one has its error in the
   * results.
   * 
   * Action <code>executions.start</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public BatchResults<BatchResultCreatedExecution> startExecutions(ExecutionBatch body, CallOptions options) {
    return transport.call(new Request("startExecutions", "POST", "/v1/executions/batch", Map.of(), body, true), new TypeReference<BatchResults<BatchResultCreatedExecution>>() {}, options);
  }

  /**
   * Cancel many executions. Action <code>executions.cancel</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode cancelExecutions(BulkCancelRequest body, CallOptions options) {
    return transport.call(new Request("cancelExecutions", "POST", "/v1/executions/cancel", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Rerun many ended executions from a node. Action <code>executions.rerun</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode rerunExecutions(BulkRerunRequest body, CallOptions options) {
    return transport.call(new Request("rerunExecutions", "POST", "/v1/executions/rerun", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Retry many failed executions from their failed nodes. Action <code>executions.retry</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode retryExecutions(BulkOperationRequest body, CallOptions options) {
    return transport.call(new Request("retryExecutions", "POST", "/v1/executions/retry", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show an execution. With <code>wait</code>, the response is delayed until the execution ends or the timeout expires.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param query any of <code>wait</code>, <code>timeout</code>, <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Execution getExecution(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getExecution", "GET", "/v1/executions/" + Request.escape(id), query, null, false), new TypeReference<Execution>() {}, options);
  }

  /**
   * Cancel an execution. With <code>compensate</code>, completed nodes are compensated first, in reverse order.
   * 
   * Action <code>executions.cancel</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the execution.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted cancelExecution(String id, CancelRequest body, CallOptions options) {
    return transport.call(new Request("cancelExecution", "POST", "/v1/executions/" + Request.escape(id) + "/cancel", Map.of(), body, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Show the timeline of an execution, oldest first. Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<TimelineEvent> listTimeline(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listTimeline", "GET", "/v1/executions/" + Request.escape(id) + "/events", query, null, false), new TypeReference<Page<TimelineEvent>>() {}, options);
  }

  /**
   * Get the input of an execution. Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getExecutionInput(String id, CallOptions options) {
    return transport.call(new Request("getExecutionInput", "GET", "/v1/executions/" + Request.escape(id) + "/input", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * List the log lines of an execution. Returns the lines of all nodes in order of time. A page may be short or empty and still have a <code>nextCursor</code> if few
   * lines have the level.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param query any of <code>level</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<StoredLogLine> listExecutionLogs(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listExecutionLogs", "GET", "/v1/executions/" + Request.escape(id) + "/logs", query, null, false), new TypeReference<Page<StoredLogLine>>() {}, options);
  }

  /**
   * List the nodes of an execution, in definition order. A compensation that has started is listed after its node, as <code>charge:compensate</code>.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param query any of <code>items</code>, <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Node> listNodes(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listNodes", "GET", "/v1/executions/" + Request.escape(id) + "/nodes", query, null, false), new TypeReference<Page<Node>>() {}, options);
  }

  /**
   * Show a node of an execution. Items of a <code>MAP</code> are addressed as <code>notify[17]</code>: items that are listed with their node, and all items that have
   * settled.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param query any of <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Node getNode(String id, String nodeId, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getNode", "GET", "/v1/executions/" + Request.escape(id) + "/nodes/" + Request.escape(nodeId), query, null, false), new TypeReference<Node>() {}, options);
  }

  /**
   * Get the input of a node. Items of a <code>MAP</code> are addressed as <code>notify[17]</code>: items that are listed with their node, and all items that have
   * settled.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getNodeInput(String id, String nodeId, CallOptions options) {
    return transport.call(new Request("getNodeInput", "GET", "/v1/executions/" + Request.escape(id) + "/nodes/" + Request.escape(nodeId) + "/input", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * List the settled items of a MAP node, in the order in which they settled. A page may be short or empty and still have a <code>nextCursor</code>, because a call reads a bounded number of results. An
   * item that ran again is listed again; the later entry is the current one. The input of an item that ran as a job is
   * stored with the job. Items in progress are listed with the nodes.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param query any of <code>limit</code>, <code>cursor</code>, <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Node> listNodeItems(String id, String nodeId, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listNodeItems", "GET", "/v1/executions/" + Request.escape(id) + "/nodes/" + Request.escape(nodeId) + "/items", query, null, false), new TypeReference<Page<Node>>() {}, options);
  }

  /**
   * Get the output of a node. Items of a <code>MAP</code> are addressed as <code>notify[17]</code>: items that are listed with their node, and all items that have
   * settled.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getNodeOutput(String id, String nodeId, CallOptions options) {
    return transport.call(new Request("getNodeOutput", "GET", "/v1/executions/" + Request.escape(id) + "/nodes/" + Request.escape(nodeId) + "/output", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Get the output of an execution. <code>null</code> until it completes.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getExecutionOutput(String id, CallOptions options) {
    return transport.call(new Request("getExecutionOutput", "GET", "/v1/executions/" + Request.escape(id) + "/output", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Rerun an execution from a node. Starts a new execution of the same version. Results of nodes that do not follow the given node are reused;
   * those nodes do not run again. A failed rerun compensates its own nodes, and the reused ones
   * only with <code>compensateOriginal</code>.
   * 
   * Action <code>executions.rerun</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the execution.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CreatedExecution rerunExecution(String id, RerunRequest body, CallOptions options) {
    return transport.call(new Request("rerunExecution", "POST", "/v1/executions/" + Request.escape(id) + "/rerun", Map.of(), body, true), new TypeReference<CreatedExecution>() {}, options);
  }

  /**
   * Retry a failed execution from its failed nodes. Action <code>executions.retry</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the execution.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted retryExecution(String id, CallOptions options) {
    return transport.call(new Request("retryExecution", "POST", "/v1/executions/" + Request.escape(id) + "/retry", Map.of(), null, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Send a signal to an execution. The first node that waits for this signal name receives it. Earlier signals are buffered, at most 1,000 per
   * execution.
   * 
   * Action <code>executions.signal</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the execution.
   * @param name 1 to 200 printable characters.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted signalExecution(String id, String name, SignalRequest body, CallOptions options) {
    return transport.call(new Request("signalExecution", "POST", "/v1/executions/" + Request.escape(id) + "/signals/" + Request.escape(name), Map.of(), body, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * List the states of a finished execution, oldest first. Returns one state for each timeline entry: the status of the execution and its nodes after that entry. Parked
   * executions are shown as RUNNING. Covers the first 50,000 entries. Requires a key that shows payloads.
   * 
   * Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<ExecutionState> listStates(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listStates", "GET", "/v1/executions/" + Request.escape(id) + "/states", query, null, false), new TypeReference<Page<ExecutionState>>() {}, options);
  }

  /**
   * Complete a user task. The output is validated against the task's form. Errors: 409 <code>user_task_not_open</code> if the task is closed, 409
   * <code>user_task_round</code> for another round, 409 <code>user_task_claimed</code> if someone else has claimed it. A task with an assignee
   * or group requires an API key of that person or group, or role <code>operator</code>.
   * 
   * Action <code>userTasks.complete</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted completeUserTask(String id, String nodeId, UserTaskCompletion body, CallOptions options) {
    return transport.call(new Request("completeUserTask", "POST", "/v1/executions/" + Request.escape(id) + "/user-tasks/" + Request.escape(nodeId) + "/complete", Map.of(), body, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Explain what an execution is waiting for. Action <code>executions.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the execution.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public ExecutionWhy whyExecution(String id, CallOptions options) {
    return transport.call(new Request("whyExecution", "GET", "/v1/executions/" + Request.escape(id) + "/why", Map.of(), null, false), new TypeReference<ExecutionWhy>() {}, options);
  }

  /**
   * Show the searchable attributes of a job type. Action <code>attributes.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param jobType Job type.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, Attribute> getJobTypeAttributes(String jobType, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getJobTypeAttributes", "GET", "/v1/job-types/" + Request.escape(jobType) + "/attributes", query, null, false), new TypeReference<Map<String, Attribute>>() {}, options);
  }

  /**
   * Declare searchable attributes of a job type. Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs created from now
   * on.
   * 
   * Action <code>attributes.declare</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param jobType Job type.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, Attribute> setJobTypeAttributes(String jobType, Map<String, AttributeDeclaration> body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("setJobTypeAttributes", "PUT", "/v1/job-types/" + Request.escape(jobType) + "/attributes", query, body, true), new TypeReference<Map<String, Attribute>>() {}, options);
  }

  /**
   * Pin a job type to builds. From the next claim on, only workers that poll with one of these builds receive its jobs. While there is no such
   * worker, the jobs wait; leased jobs are not affected. A tenant's own pin takes precedence over the pin for all
   * tenants.
   * 
   * Action <code>builds.pin</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param jobType Job type.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public BuildPin pinBuilds(String jobType, BuildPinRequest body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("pinBuilds", "PUT", "/v1/job-types/" + Request.escape(jobType) + "/builds", query, body, true), new TypeReference<BuildPin>() {}, options);
  }

  /**
   * Unpin a job type. From the next claim on, any worker that polls for the job type receives its jobs.
   * 
   * Action <code>builds.pin</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param jobType Job type.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   */
  public void unpinBuilds(String jobType, Map<String, ?> query, CallOptions options) {
    transport.call(new Request("unpinBuilds", "DELETE", "/v1/job-types/" + Request.escape(jobType) + "/builds", query, null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Show the limits of a job type. With <code>tenant</code>, the limits of the tenant's jobs of this type; otherwise the limits across all tenants.
   * 
   * Action <code>limits.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param jobType Job type.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getJobTypeLimits(String jobType, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getJobTypeLimits", "GET", "/v1/job-types/" + Request.escape(jobType) + "/limits", query, null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of a job type. With <code>tenant</code>, the limits apply to the tenant's jobs of this type; otherwise across all tenants. If both are set,
   * both apply. Job types have limits on <code>workflow-node</code> only.
   * 
   * Action <code>limits.set</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param jobType Job type.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setJobTypeLimits(String jobType, Map<String, LimitChanges> body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("setJobTypeLimits", "PUT", "/v1/job-types/" + Request.escape(jobType) + "/limits", query, body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * List jobs, newest first. Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>queue</code>, <code>status</code>, <code>jobType</code>, <code>workflow</code>, <code>tenant</code>, <code>priority</code>, <code>tag</code>, <code>fingerprint</code>, <code>workerId</code>, <code>executionId</code>, <code>nodeId</code>, <code>scheduleId</code>, <code>deliveryId</code>, <code>uniqueKey</code>, <code>concurrencyKey</code>, <code>rateKey</code>, <code>createdAfter</code>, <code>createdBefore</code>, <code>runAfter</code>, <code>runBefore</code>, <code>processedAfter</code>, <code>processedBefore</code>, <code>completedAfter</code>, <code>completedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Job> listJobs(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listJobs", "GET", "/v1/jobs", query, null, false), new TypeReference<Page<Job>>() {}, options);
  }

  /**
   * Enqueue a job. The job is queued on <code>workflow-node</code> until a worker that polls for its type claims it. A 202 means that it is stored
   * durably.
   * 
   * Action <code>jobs.enqueue</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Enqueued enqueueJob(JobRequest body, CallOptions options) {
    return transport.call(new Request("enqueueJob", "POST", "/v1/jobs", Map.of(), body, true), new TypeReference<Enqueued>() {}, options);
  }

  /**
   * Accept jobs from Kafka. Starts the leases of jobs that were received from Kafka, one call per fetch. <code>taken</code> means a duplicate: another
   * worker has the job, and this worker must not run it. Reports carry the <code>leaseToken</code> of the response.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public AcceptedJobs acceptJobs(Acceptances body, CallOptions options) {
    return transport.call(new Request("acceptJobs", "POST", "/v1/jobs/accept", Map.of(), body, true), new TypeReference<AcceptedJobs>() {}, options);
  }

  /**
   * Enqueue many jobs in one commit. Atomic, unless <code>partial</code> is true: then valid jobs are accepted and each invalid one has its error in the
   * results.
   * 
   * Action <code>jobs.enqueue</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public BatchResults<BatchResultEnqueued> enqueueJobs(JobBatch body, CallOptions options) {
    return transport.call(new Request("enqueueJobs", "POST", "/v1/jobs/batch", Map.of(), body, true), new TypeReference<BatchResults<BatchResultEnqueued>>() {}, options);
  }

  /**
   * Cancel many jobs. Action <code>jobs.cancel</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode cancelJobs(BulkOperationRequest body, CallOptions options) {
    return transport.call(new Request("cancelJobs", "POST", "/v1/jobs/cancel", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Complete jobs. Each job has its own outcome: a result that is too large is <code>rejected</code> with a reason, and the other jobs complete.
   * With <code>poll</code>, the response also carries the next jobs.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes completeJobs(Settlements<Completion> body, CallOptions options) {
    return transport.call(new Request("completeJobs", "POST", "/v1/jobs/complete", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Fail jobs. Each job is retried after its backoff, or becomes a dead letter if it has no retries left or is not <code>retryable</code>.
   * With <code>poll</code>, the response also carries the next jobs.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes failJobs(Settlements<Failure> body, CallOptions options) {
    return transport.call(new Request("failJobs", "POST", "/v1/jobs/fail", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Renew leases. <code>cancelled</code> and <code>lease_lost</code> mean that this worker no longer owns the job; its handler should stop.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes heartbeatJobs(Reports<Heartbeat> body, CallOptions options) {
    return transport.call(new Request("heartbeatJobs", "POST", "/v1/jobs/heartbeat", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Add log lines to leased jobs. Each attempt keeps at most 1,000 lines and 256 KiB; one more line says how many were dropped. 429 <code>quota_exceeded</code> if
   * the tenants of all lines have reached their quota <code>logBytes</code>; if only some have, their lines are dropped.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes logJobs(Reports<JobLines> body, CallOptions options) {
    return transport.call(new Request("logJobs", "POST", "/v1/jobs/logs", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Poll for jobs. Leases up to <code>maxJobs</code> jobs of the given types to the worker. With <code>wait</code>, the request blocks until a job is
   * available. A worker that is being drained receives no jobs, and <code>drain</code> is true.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public PolledJobs pollJobs(Poll body, CallOptions options) {
    return transport.call(new Request("pollJobs", "POST", "/v1/jobs/poll", Map.of(), body, false), new TypeReference<PolledJobs>() {}, options);
  }

  /**
   * Release jobs. The jobs return to their queue without consuming an attempt, immediately or after <code>delay</code>. Reported progress is
   * passed to the next attempt.
   * 
   * Action <code>jobs.work</code>: requires role <code>admin</code>, <code>operator</code> or <code>worker</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes releaseJobs(Reports<Release> body, CallOptions options) {
    return transport.call(new Request("releaseJobs", "POST", "/v1/jobs/release", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Change the priority of many waiting jobs. Action <code>jobs.reprioritize</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode reprioritizeJobs(BulkReprioritizeRequest body, CallOptions options) {
    return transport.call(new Request("reprioritizeJobs", "POST", "/v1/jobs/reprioritize", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Make many waiting jobs due now. Action <code>jobs.retry</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode retryJobs(BulkOperationRequest body, CallOptions options) {
    return transport.call(new Request("retryJobs", "POST", "/v1/jobs/retry", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show a job with its attempts. With <code>wait</code>, the response is delayed until the job ends or the timeout expires.
   * 
   * Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the job.
   * @param query any of <code>wait</code>, <code>timeout</code>, <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Job getJob(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getJob", "GET", "/v1/jobs/" + Request.escape(id), query, null, false), new TypeReference<Job>() {}, options);
  }

  /**
   * Cancel a job. A running job loses its lease immediately. Cancelling the job of an execution cancels the execution.
   * 
   * Action <code>jobs.cancel</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the job.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JobChange cancelJob(String id, CallOptions options) {
    return transport.call(new Request("cancelJob", "POST", "/v1/jobs/" + Request.escape(id) + "/cancel", Map.of(), null, true), new TypeReference<JobChange>() {}, options);
  }

  /**
   * Get the data of a job. Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the job.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getJobData(String id, CallOptions options) {
    return transport.call(new Request("getJobData", "GET", "/v1/jobs/" + Request.escape(id) + "/data", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * List the log lines of a job. Returns the lines of all attempts in order. Log lines are deleted after <code>retention.logs</code>, regardless of the job.
   * 
   * Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the job.
   * @param query any of <code>attempt</code>, <code>level</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<StoredLogLine> listJobLogs(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listJobLogs", "GET", "/v1/jobs/" + Request.escape(id) + "/logs", query, null, false), new TypeReference<Page<StoredLogLine>>() {}, options);
  }

  /**
   * Change the priority of a waiting job. Action <code>jobs.reprioritize</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the job.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JobChange reprioritizeJob(String id, ReprioritizeRequest body, CallOptions options) {
    return transport.call(new Request("reprioritizeJob", "POST", "/v1/jobs/" + Request.escape(id) + "/reprioritize", Map.of(), body, true), new TypeReference<JobChange>() {}, options);
  }

  /**
   * Get the result of a job. <code>null</code> until it completes.
   * 
   * Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the job.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getJobResult(String id, CallOptions options) {
    return transport.call(new Request("getJobResult", "GET", "/v1/jobs/" + Request.escape(id) + "/result", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Make a job due now. A job that waits for its due time or its next retry becomes due immediately.
   * 
   * Action <code>jobs.retry</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param id ID of the job.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JobChange retryJob(String id, CallOptions options) {
    return transport.call(new Request("retryJob", "POST", "/v1/jobs/" + Request.escape(id) + "/retry", Map.of(), null, true), new TypeReference<JobChange>() {}, options);
  }

  /**
   * Explain why a job is not running. Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the job.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Why whyJob(String id, CallOptions options) {
    return transport.call(new Request("whyJob", "GET", "/v1/jobs/" + Request.escape(id) + "/why", Map.of(), null, false), new TypeReference<Why>() {}, options);
  }

  /**
   * Show the limits of the queues. Includes the values set for individual tenants, workflows and job types.
   * 
   * Action <code>limits.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getLimits(CallOptions options) {
    return transport.call(new Request("getLimits", "GET", "/v1/limits", Map.of(), null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of the queues. The limits apply to every claim that starts after the response.
   * 
   * Action <code>limits.set</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setLimits(Map<String, LimitChanges> body, CallOptions options) {
    return transport.call(new Request("setLimits", "PUT", "/v1/limits", Map.of(), body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Show the caller, its rights, and the server. <code>can</code> lists the actions that the role and scopes allow on at least one object; scopes may restrict an action to
   * certain names. For sessions of a read-only console, it lists only actions that change nothing.
   * 
   * Any valid API key may make this call.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Me readMe(CallOptions options) {
    return transport.call(new Request("readMe", "GET", "/v1/me", Map.of(), null, false), new TypeReference<Me>() {}, options);
  }

  /**
   * Move the store to another database. Copies the SQLite database of the server to an empty PostgreSQL database and continues on it. The server accepts and
   * runs work during the copy, and pauses only while the last changes are copied; calls then get 503 with <code>Retry-After</code>.
   * Until then the old database is in use; afterwards it is read-only. Requires a key that is not bound to a tenant.
   * Servers on PostgreSQL return 409 <code>move_unsupported</code>.
   * 
   * Action <code>moves.start</code>: requires role <code>admin</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Move startMove(MoveRequest body, CallOptions options) {
    return transport.call(new Request("startMove", "POST", "/v1/moves", Map.of(), body, true), new TypeReference<Move>() {}, options);
  }

  /**
   * Get the last move. Returns the move that was last requested from this process, finished or not. Requires a key that is not bound to a
   * tenant.
   * 
   * Action <code>moves.read</code>: requires role <code>admin</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Move lastMove(CallOptions options) {
    return transport.call(new Request("lastMove", "GET", "/v1/moves/last", Map.of(), null, false), new TypeReference<Move>() {}, options);
  }

  /**
   * Abort the move. The server keeps its database, and the target can be used for another move. Errors: 409 <code>move_finishing</code> while the
   * last changes are copied, 409 <code>move_not_running</code> if no move is in progress. Requires a key that is not bound to a
   * tenant.
   * 
   * Action <code>moves.start</code>: requires role <code>admin</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Move abortMove(CallOptions options) {
    return transport.call(new Request("abortMove", "POST", "/v1/moves/last/abort", Map.of(), null, true), new TypeReference<Move>() {}, options);
  }

  /**
   * List queues with their statistics. Action <code>queues.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Queue> listQueues(CallOptions options) {
    return transport.call(new Request("listQueues", "GET", "/v1/queues", Map.of(), null, false), new TypeReference<Page<Queue>>() {}, options);
  }

  /**
   * Show a queue with its statistics. Action <code>queues.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param queue Queue.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Queue getQueue(String queue, CallOptions options) {
    return transport.call(new Request("getQueue", "GET", "/v1/queues/" + Request.escape(queue), Map.of(), null, false), new TypeReference<Queue>() {}, options);
  }

  /**
   * Drain a queue. Finishes queued jobs and rejects new ones from callers until the queue is resumed.
   * 
   * Action <code>queues.operate</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param queue Queue.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueMode drainQueue(String queue, CallOptions options) {
    return transport.call(new Request("drainQueue", "POST", "/v1/queues/" + Request.escape(queue) + "/drain", Map.of(), null, true), new TypeReference<QueueMode>() {}, options);
  }

  /**
   * Pause a queue. No jobs start until the queue is resumed. New jobs are accepted.
   * 
   * Action <code>queues.operate</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param queue Queue.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueMode pauseQueue(String queue, CallOptions options) {
    return transport.call(new Request("pauseQueue", "POST", "/v1/queues/" + Request.escape(queue) + "/pause", Map.of(), null, true), new TypeReference<QueueMode>() {}, options);
  }

  /**
   * Resume a queue. Action <code>queues.operate</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param queue Queue.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueMode resumeQueue(String queue, CallOptions options) {
    return transport.call(new Request("resumeQueue", "POST", "/v1/queues/" + Request.escape(queue) + "/resume", Map.of(), null, true), new TypeReference<QueueMode>() {}, options);
  }

  /**
   * Show how many workers a queue could use. For autoscalers: <code>desired</code> is the number of slots that could be busy now. Jobs held back by a limit or a pause do
   * not count. All nodes return the same figures, read from the database and at most one second old.
   * 
   * Action <code>queues.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param queue Queue.
   * @param query any of <code>jobType</code>, <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueScaling queueScaling(String queue, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("queueScaling", "GET", "/v1/queues/" + Request.escape(queue) + "/scaling", query, null, false), new TypeReference<QueueScaling>() {}, options);
  }

  /**
   * List the rates of rate keys. Action <code>limits.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public KeyRates listRates(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listRates", "GET", "/v1/rates", query, null, false), new TypeReference<KeyRates>() {}, options);
  }

  /**
   * Set the rate of a rate key. From the next claim on, the rate applies to starts of jobs with this <code>rateKey</code>. A key that ends in <code>*</code> is a prefix:
   * the rate applies to each matching key separately, and the longest match wins.
   * 
   * Action <code>limits.set</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param key Rate key, or a pattern that ends in <code>*</code>.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public KeyRate setRate(String key, KeyRateRequest body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("setRate", "PUT", "/v1/rates/" + Request.escape(key), query, body, true), new TypeReference<KeyRate>() {}, options);
  }

  /**
   * Delete the rate of a rate key. From the next claim on, it no longer limits jobs with this <code>rateKey</code>.
   * 
   * Action <code>limits.set</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param key Rate key, or a pattern that ends in <code>*</code>.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   */
  public void deleteRate(String key, Map<String, ?> query, CallOptions options) {
    transport.call(new Request("deleteRate", "DELETE", "/v1/rates/" + Request.escape(key), query, null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Show the retention. Applies to tenants without their own times. <code>effective</code> shows the times that apply: times set here are rounded up to
   * 1, 6 or 12 hours, 1, 2, 3, 7, 14, 30, 60, 90 or 180 days, or 1, 2 or 10 years.
   * 
   * Action <code>retention.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Retention getRetention(CallOptions options) {
    return transport.call(new Request("getRetention", "GET", "/v1/retention", Map.of(), null, false), new TypeReference<Retention>() {}, options);
  }

  /**
   * Change the retention. Absent fields keep their value; null restores the value from the settings. Requires role <code>admin</code> and a key that is
   * not bound to a tenant.
   * 
   * Action <code>retention.set</code>: requires role <code>admin</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Retention setRetention(RetentionRequest body, CallOptions options) {
    return transport.call(new Request("setRetention", "PUT", "/v1/retention", Map.of(), body, true), new TypeReference<Retention>() {}, options);
  }

  /**
   * List schedules, newest first. Action <code>schedules.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>workflow</code>, <code>tenant</code>, <code>paused</code>, <code>createdAfter</code>, <code>createdBefore</code>, <code>nextRunAfter</code>, <code>nextRunBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Schedule> listSchedules(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listSchedules", "GET", "/v1/schedules", query, null, false), new TypeReference<Page<Schedule>>() {}, options);
  }

  /**
   * Create a schedule. The schedule fires from now on. An invalid expression is reported at <code>/cron</code>, with the expected format.
   * 
   * Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule createSchedule(ScheduleRequest body, CallOptions options) {
    return transport.call(new Request("createSchedule", "POST", "/v1/schedules", Map.of(), body, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Pause many schedules. Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode pauseSchedules(BulkOperationRequest body, CallOptions options) {
    return transport.call(new Request("pauseSchedules", "POST", "/v1/schedules/pause", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Preview a cron expression or an interval. Action <code>schedules.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Preview previewCron(PreviewRequest body, CallOptions options) {
    return transport.call(new Request("previewCron", "POST", "/v1/schedules/preview", Map.of(), body, true), new TypeReference<Preview>() {}, options);
  }

  /**
   * Resume many schedules. Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode resumeSchedules(BulkOperationRequest body, CallOptions options) {
    return transport.call(new Request("resumeSchedules", "POST", "/v1/schedules/resume", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show a schedule. Action <code>schedules.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the schedule.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule getSchedule(String id, CallOptions options) {
    return transport.call(new Request("getSchedule", "GET", "/v1/schedules/" + Request.escape(id), Map.of(), null, false), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Replace a schedule. ID and history are kept. Past fires do not run, and a waiting fire is skipped.
   * 
   * Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the schedule.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule replaceSchedule(String id, ScheduleRequest body, CallOptions options) {
    return transport.call(new Request("replaceSchedule", "PUT", "/v1/schedules/" + Request.escape(id), Map.of(), body, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Delete a schedule and its history. Its executions are kept.
   * 
   * Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the schedule.
   * @param options deadline and idempotency key
   */
  public void deleteSchedule(String id, CallOptions options) {
    transport.call(new Request("deleteSchedule", "DELETE", "/v1/schedules/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Backfill a past time range. Starts an execution for each fire time in the range that is not in the history yet.
   * 
   * Action <code>schedules.run</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the schedule.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Backfill backfillSchedule(String id, BackfillRequest body, CallOptions options) {
    return transport.call(new Request("backfillSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/backfill", Map.of(), body, true), new TypeReference<Backfill>() {}, options);
  }

  /**
   * Pause a schedule. Fire times that pass while it is paused never run, and a waiting fire is skipped. Running executions continue.
   * 
   * Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the schedule.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule pauseSchedule(String id, CallOptions options) {
    return transport.call(new Request("pauseSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/pause", Map.of(), null, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Preview a schedule. Respects the bounds of the schedule; a paused one is previewed as if it were resumed now.
   * 
   * Action <code>schedules.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the schedule.
   * @param query any of <code>count</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Preview previewSchedule(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("previewSchedule", "GET", "/v1/schedules/" + Request.escape(id) + "/preview", query, null, false), new TypeReference<Preview>() {}, options);
  }

  /**
   * Resume a schedule. The schedule fires from now on.
   * 
   * Action <code>schedules.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the schedule.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule resumeSchedule(String id, CallOptions options) {
    return transport.call(new Request("resumeSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/resume", Map.of(), null, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Start an execution of a schedule now. Ignores the overlap policy, and works while the schedule is paused.
   * 
   * Action <code>schedules.run</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the schedule.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public ManualRun runSchedule(String id, CallOptions options) {
    return transport.call(new Request("runSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/run", Map.of(), null, true), new TypeReference<ManualRun>() {}, options);
  }

  /**
   * List the fires of a schedule and their outcomes, latest first. Action <code>schedules.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the schedule.
   * @param query any of <code>status</code>, <code>reason</code>, <code>skipReason</code>, <code>executionId</code>, <code>scheduledAfter</code>, <code>scheduledBefore</code>, <code>firedAfter</code>, <code>firedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<ScheduleRun> listScheduleRuns(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listScheduleRuns", "GET", "/v1/schedules/" + Request.escape(id) + "/runs", query, null, false), new TypeReference<Page<ScheduleRun>>() {}, options);
  }

  /**
   * Complete a query. Suggests keys, keywords, instants, and values of the last 7 days: workflows, job types, tenants, tags, workers,
   * event types, fingerprints.
   * 
   * Action <code>jobs.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>list</code>, <code>q</code>, <code>at</code>, <code>limit</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Suggestions suggest(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("suggest", "GET", "/v1/search/suggest", query, null, false), new TypeReference<Suggestions>() {}, options);
  }

  /**
   * List the processes of the deployment. Lists processes seen within the last minute, in the order in which they started. Requires a key that is not bound to
   * a tenant.
   * 
   * Action <code>servers.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Server> listServers(CallOptions options) {
    return transport.call(new Request("listServers", "GET", "/v1/servers", Map.of(), null, false), new TypeReference<Page<Server>>() {}, options);
  }

  /**
   * Show the current caller. Role and tenant of the caller; for a session also its CSRF token and expiry.
   * 
   * Any valid API key may make this call.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Session readSession(CallOptions options) {
    return transport.call(new Request("readSession", "GET", "/v1/session", Map.of(), null, false), new TypeReference<Session>() {}, options);
  }

  /**
   * Sign in to the console. Creates a session for the API key of this request. The response sets an <code>HttpOnly</code>, <code>SameSite=Strict</code> cookie that
   * authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
   * that modify data must also send the <code>csrfToken</code> of the response in the header <code>X-CSRF-Token</code>.
   * 
   * Any valid API key may make this call.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Session createSession(CallOptions options) {
    return transport.call(new Request("createSession", "POST", "/v1/session", Map.of(), null, false), new TypeReference<Session>() {}, options);
  }

  /**
   * Sign out. Removes the session cookie. A copied cookie stays valid until it expires or its key is revoked.
   * 
   * Any valid API key may make this call.
   *
   * @param options deadline and idempotency key
   */
  public void deleteSession(CallOptions options) {
    transport.call(new Request("deleteSession", "DELETE", "/v1/session", Map.of(), null, false), new TypeReference<Void>() {}, options);
  }

  /**
   * Show queue figures over time. Returns throughput, failures, backlog, and percentiles of wait, run and end-to-end times, by minute or hour. Figures are at
   * most 15 seconds behind. Returns up to 1,500 points.
   * 
   * Action <code>queues.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>queue</code>, <code>priority</code>, <code>tenant</code>, <code>workflow</code>, <code>from</code>, <code>to</code>, <code>step</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Stats getStats(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getStats", "GET", "/v1/stats", query, null, false), new TypeReference<Stats>() {}, options);
  }

  /**
   * List tenants by name. Action <code>tenants.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Tenant> listTenants(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listTenants", "GET", "/v1/tenants", query, null, false), new TypeReference<Page<Tenant>>() {}, options);
  }

  /**
   * Create a tenant. A tenant is also created when a key that is not bound to a tenant first uses it.
   * 
   * Action <code>tenants.create</code>: requires role <code>admin</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Tenant createTenant(TenantRequest body, CallOptions options) {
    return transport.call(new Request("createTenant", "POST", "/v1/tenants", Map.of(), body, true), new TypeReference<Tenant>() {}, options);
  }

  /**
   * Show the searchable attributes of a tenant. Action <code>attributes.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, Attribute> getTenantAttributes(String tenant, CallOptions options) {
    return transport.call(new Request("getTenantAttributes", "GET", "/v1/tenants/" + Request.escape(tenant) + "/attributes", Map.of(), null, false), new TypeReference<Map<String, Attribute>>() {}, options);
  }

  /**
   * Declare searchable attributes of a tenant. Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs and executions
   * created from now on.
   * 
   * Action <code>attributes.declare</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param tenant Name of the tenant.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, Attribute> setTenantAttributes(String tenant, Map<String, AttributeDeclaration> body, CallOptions options) {
    return transport.call(new Request("setTenantAttributes", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/attributes", Map.of(), body, true), new TypeReference<Map<String, Attribute>>() {}, options);
  }

  /**
   * Show the encryption of a tenant. Action <code>tenants.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantEncryption getTenantEncryption(String tenant, CallOptions options) {
    return transport.call(new Request("getTenantEncryption", "GET", "/v1/tenants/" + Request.escape(tenant) + "/encryption", Map.of(), null, false), new TypeReference<TenantEncryption>() {}, options);
  }

  /**
   * Enable or disable the encryption of a tenant. Applies to payloads that are stored afterwards; other processes follow within a few seconds. Requires <code>secrets.keys</code>
   * in the settings of all processes. Requires role <code>admin</code> and a key that is not bound to a tenant.
   * 
   * Action <code>tenants.encrypt</code>: requires role <code>admin</code>.
   *
   * @param tenant Name of the tenant.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantEncryption setTenantEncryption(String tenant, EncryptionRequest body, CallOptions options) {
    return transport.call(new Request("setTenantEncryption", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/encryption", Map.of(), body, true), new TypeReference<TenantEncryption>() {}, options);
  }

  /**
   * Rotate the key of a tenant. New payloads are encrypted with a new key. Earlier keys are kept to decrypt existing payloads. Requires role <code>admin</code>
   * and a key that is not bound to a tenant.
   * 
   * Action <code>tenants.encrypt</code>: requires role <code>admin</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantEncryption rotateTenantEncryption(String tenant, CallOptions options) {
    return transport.call(new Request("rotateTenantEncryption", "POST", "/v1/tenants/" + Request.escape(tenant) + "/encryption/rotate", Map.of(), null, true), new TypeReference<TenantEncryption>() {}, options);
  }

  /**
   * Erase a tenant. Removes its jobs, executions, payloads, dead letters, deliveries, logs, schedules, endpoints, triggers, workflows, keys,
   * secrets and settings in the background; audit log entries stay. From now on its keys are invalid and new work is
   * rejected with 409 <code>tenant_erasing</code>, until the bulk operation is completed (after ten seconds at the earliest);
   * <code>done</code> counts removed rows. 409 <code>tenant_in_use</code> if jobs or executions are open and <code>cancelOpen</code> is not set. Requires
   * role <code>admin</code> and a key that is not bound to a tenant.
   * 
   * Action <code>tenants.erase</code>: requires role <code>admin</code>.
   *
   * @param tenant Name of the tenant.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch eraseTenant(String tenant, TenantErasure body, CallOptions options) {
    return transport.call(new Request("eraseTenant", "POST", "/v1/tenants/" + Request.escape(tenant) + "/erase", Map.of(), body, true), new TypeReference<Batch>() {}, options);
  }

  /**
   * Show the limits of a tenant. Action <code>limits.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getTenantLimits(String tenant, CallOptions options) {
    return transport.call(new Request("getTenantLimits", "GET", "/v1/tenants/" + Request.escape(tenant) + "/limits", Map.of(), null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of a tenant. Action <code>limits.set</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param tenant Name of the tenant.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setTenantLimits(String tenant, Map<String, LimitChanges> body, CallOptions options) {
    return transport.call(new Request("setTenantLimits", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/limits", Map.of(), body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Show the quotas of a tenant. Action <code>tenants.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantQuotas getQuotas(String tenant, CallOptions options) {
    return transport.call(new Request("getQuotas", "GET", "/v1/tenants/" + Request.escape(tenant) + "/quotas", Map.of(), null, false), new TypeReference<TenantQuotas>() {}, options);
  }

  /**
   * Change quotas of a tenant. Absent fields keep their value, null restores the default, and <code>"unlimited"</code> removes the limit. Other processes
   * apply the change within a few seconds. Requires role <code>admin</code> and a key that is not bound to a tenant.
   * 
   * Action <code>tenants.quota</code>: requires role <code>admin</code>.
   *
   * @param tenant Name of the tenant.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantQuotas setQuotas(String tenant, TenantQuotasRequest body, CallOptions options) {
    return transport.call(new Request("setQuotas", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/quotas", Map.of(), body, true), new TypeReference<TenantQuotas>() {}, options);
  }

  /**
   * Show the retention of a tenant. Action <code>retention.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Retention getTenantRetention(String tenant, CallOptions options) {
    return transport.call(new Request("getTenantRetention", "GET", "/v1/tenants/" + Request.escape(tenant) + "/retention", Map.of(), null, false), new TypeReference<Retention>() {}, options);
  }

  /**
   * Change the retention of a tenant. Absent fields keep their value; null restores the value for all tenants. <code>audit</code> and <code>alerts</code> cannot be set for one
   * tenant. Requires role <code>admin</code> and a key that is not bound to a tenant.
   * 
   * Action <code>retention.set</code>: requires role <code>admin</code>.
   *
   * @param tenant Name of the tenant.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Retention setTenantRetention(String tenant, RetentionRequest body, CallOptions options) {
    return transport.call(new Request("setTenantRetention", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/retention", Map.of(), body, true), new TypeReference<Retention>() {}, options);
  }

  /**
   * List the secrets of a tenant by name. Values are never shown.
   * 
   * Action <code>secrets.read</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param tenant Name of the tenant.
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Secret> listSecrets(String tenant, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listSecrets", "GET", "/v1/tenants/" + Request.escape(tenant) + "/secrets", query, null, false), new TypeReference<Page<Secret>>() {}, options);
  }

  /**
   * Store a secret. Replaces a secret of the same name; later requests use the new value. Workflows reference it as <code>${secrets.name}</code> in
   * the request headers of an <code>HTTP</code> node. It is sent only to its allowed hosts, and never appears in jobs, history,
   * errors or lists.
   * 
   * Action <code>secrets.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param tenant Name of the tenant.
   * @param name Name of the secret.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Secret putSecret(String tenant, String name, SecretRequest body, CallOptions options) {
    return transport.call(new Request("putSecret", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/secrets/" + Request.escape(name), Map.of(), body, true), new TypeReference<Secret>() {}, options);
  }

  /**
   * Delete a secret. Later requests that reference it fail.
   * 
   * Action <code>secrets.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param tenant Name of the tenant.
   * @param name Name of the secret.
   * @param options deadline and idempotency key
   */
  public void deleteSecret(String tenant, String name, CallOptions options) {
    transport.call(new Request("deleteSecret", "DELETE", "/v1/tenants/" + Request.escape(tenant) + "/secrets/" + Request.escape(name), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Show the usage of a tenant. Counted at request time. Requests beyond a quota get 429 <code>quota_exceeded</code>; work created by running executions is
   * never rejected.
   * 
   * Action <code>tenants.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param tenant Name of the tenant.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantUsage getUsage(String tenant, CallOptions options) {
    return transport.call(new Request("getUsage", "GET", "/v1/tenants/" + Request.escape(tenant) + "/usage", Map.of(), null, false), new TypeReference<TenantUsage>() {}, options);
  }

  /**
   * List triggers of events, newest first. Action <code>triggers.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>tenant</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<EventTrigger> listTriggers(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listTriggers", "GET", "/v1/triggers", query, null, false), new TypeReference<Page<EventTrigger>>() {}, options);
  }

  /**
   * Create a trigger. From now on, matching events start executions of its workflow.
   * 
   * Action <code>triggers.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public EventTrigger createTrigger(EventTriggerRequest body, CallOptions options) {
    return transport.call(new Request("createTrigger", "POST", "/v1/triggers", Map.of(), body, true), new TypeReference<EventTrigger>() {}, options);
  }

  /**
   * Show a trigger. Action <code>triggers.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the trigger.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public EventTrigger getTrigger(String id, CallOptions options) {
    return transport.call(new Request("getTrigger", "GET", "/v1/triggers/" + Request.escape(id), Map.of(), null, false), new TypeReference<EventTrigger>() {}, options);
  }

  /**
   * Replace a trigger. ID and tenant are kept.
   * 
   * Action <code>triggers.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the trigger.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public EventTrigger replaceTrigger(String id, EventTriggerRequest body, CallOptions options) {
    return transport.call(new Request("replaceTrigger", "PUT", "/v1/triggers/" + Request.escape(id), Map.of(), body, true), new TypeReference<EventTrigger>() {}, options);
  }

  /**
   * Delete a trigger. Later events no longer start executions through it. Existing executions are kept.
   * 
   * Action <code>triggers.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the trigger.
   * @param options deadline and idempotency key
   */
  public void deleteTrigger(String id, CallOptions options) {
    transport.call(new Request("deleteTrigger", "DELETE", "/v1/triggers/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List user tasks, newest first. Lists open tasks if <code>status</code> is absent.
   * 
   * Action <code>userTasks.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>status</code>, <code>group</code>, <code>assignee</code>, <code>workflow</code>, <code>tenant</code>, <code>execution</code>, <code>openedAfter</code>, <code>openedBefore</code>, <code>dueAfter</code>, <code>dueBefore</code>, <code>closedAfter</code>, <code>closedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<UserTask> listUserTasks(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listUserTasks", "GET", "/v1/user-tasks", query, null, false), new TypeReference<Page<UserTask>>() {}, options);
  }

  /**
   * Show the latest user task of a node. Action <code>userTasks.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param executionId ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param query any of <code>maxPayload</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public UserTask getUserTask(String executionId, String nodeId, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getUserTask", "GET", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId), query, null, false), new TypeReference<UserTask>() {}, options);
  }

  /**
   * Claim a user task. Prevents others of its group from completing it until it is released or reassigned.
   * 
   * Action <code>userTasks.claim</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param executionId ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public UserTask claimUserTask(String executionId, String nodeId, UserTaskRound body, CallOptions options) {
    return transport.call(new Request("claimUserTask", "POST", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId) + "/claim", Map.of(), body, true), new TypeReference<UserTask>() {}, options);
  }

  /**
   * Get the input of the latest user task of a node. Action <code>userTasks.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param executionId ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode getUserTaskInput(String executionId, String nodeId, CallOptions options) {
    return transport.call(new Request("getUserTaskInput", "GET", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId) + "/input", Map.of(), null, false), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Release a user task. Releases the caller's own claim; an operator can release any claim.
   * 
   * Action <code>userTasks.claim</code>: requires role <code>admin</code>, <code>operator</code> or <code>client</code>.
   *
   * @param executionId ID of the execution.
   * @param nodeId ID of the node within the definition, with the index for an item of a <code>MAP</code>.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public UserTask releaseUserTask(String executionId, String nodeId, UserTaskRound body, CallOptions options) {
    return transport.call(new Request("releaseUserTask", "POST", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId) + "/release", Map.of(), body, true), new TypeReference<UserTask>() {}, options);
  }

  /**
   * List saved views, newest first. Returns the caller's own views and the views that others share.
   * 
   * Action <code>views.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>list</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<View> listViews(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listViews", "GET", "/v1/views", query, null, false), new TypeReference<Page<View>>() {}, options);
  }

  /**
   * Save a view. At most 100 views per API key or person.
   * 
   * Action <code>views.write</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public View addView(ViewRequest body, CallOptions options) {
    return transport.call(new Request("addView", "POST", "/v1/views", Map.of(), body, true), new TypeReference<View>() {}, options);
  }

  /**
   * Show a saved view. Action <code>views.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the saved view.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public View getView(String id, CallOptions options) {
    return transport.call(new Request("getView", "GET", "/v1/views/" + Request.escape(id), Map.of(), null, false), new TypeReference<View>() {}, options);
  }

  /**
   * Change a saved view. Operators can also change views that others share.
   * 
   * Action <code>views.write</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the saved view.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public View changeView(String id, ViewRequest body, CallOptions options) {
    return transport.call(new Request("changeView", "PUT", "/v1/views/" + Request.escape(id), Map.of(), body, true), new TypeReference<View>() {}, options);
  }

  /**
   * Delete a saved view. Action <code>views.write</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the saved view.
   * @param options deadline and idempotency key
   */
  public void deleteView(String id, CallOptions options) {
    transport.call(new Request("deleteView", "DELETE", "/v1/views/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List webhook endpoints, newest first. Action <code>webhooks.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>tenant</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Webhook> listWebhooks(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWebhooks", "GET", "/v1/webhooks", query, null, false), new TypeReference<Page<Webhook>>() {}, options);
  }

  /**
   * Create a webhook endpoint. It accepts deliveries immediately. A generated secret is shown only in this response.
   * 
   * Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public SavedWebhook createWebhook(WebhookRequest body, CallOptions options) {
    return transport.call(new Request("createWebhook", "POST", "/v1/webhooks", Map.of(), body, true), new TypeReference<SavedWebhook>() {}, options);
  }

  /**
   * Show a webhook endpoint. Action <code>webhooks.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Webhook getWebhook(String id, CallOptions options) {
    return transport.call(new Request("getWebhook", "GET", "/v1/webhooks/" + Request.escape(id), Map.of(), null, false), new TypeReference<Webhook>() {}, options);
  }

  /**
   * Replace a webhook endpoint. ID, URL and deliveries are kept. Secrets are kept unless new ones are given, which replace them immediately;
   * use <code>rotate-secret</code> for an overlap.
   * 
   * Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public SavedWebhook replaceWebhook(String id, WebhookRequest body, CallOptions options) {
    return transport.call(new Request("replaceWebhook", "PUT", "/v1/webhooks/" + Request.escape(id), Map.of(), body, true), new TypeReference<SavedWebhook>() {}, options);
  }

  /**
   * Delete a webhook endpoint and its secrets. Senders then get 404. Its deliveries are kept until their retention ends.
   * 
   * Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param options deadline and idempotency key
   */
  public void deleteWebhook(String id, CallOptions options) {
    transport.call(new Request("deleteWebhook", "DELETE", "/v1/webhooks/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List the deliveries of a webhook endpoint, newest first. Action <code>deliveries.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param query any of <code>source</code>, <code>webhookId</code>, <code>tenant</code>, <code>status</code>, <code>eventType</code>, <code>reason</code>, <code>remoteAddress</code>, <code>executionId</code>, <code>receivedAfter</code>, <code>receivedBefore</code>, <code>processedAfter</code>, <code>processedBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Delivery> listWebhookDeliveries(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWebhookDeliveries", "GET", "/v1/webhooks/" + Request.escape(id) + "/deliveries", query, null, false), new TypeReference<Page<Delivery>>() {}, options);
  }

  /**
   * Pause a webhook endpoint. Deliveries are stored and held until the endpoint is resumed; beyond a server limit they get 429 with Retry-After.
   * Handshakes are still answered.
   * 
   * Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Webhook pauseWebhook(String id, CallOptions options) {
    return transport.call(new Request("pauseWebhook", "POST", "/v1/webhooks/" + Request.escape(id) + "/pause", Map.of(), null, true), new TypeReference<Webhook>() {}, options);
  }

  /**
   * Resume a webhook endpoint. Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Webhook resumeWebhook(String id, CallOptions options) {
    return transport.call(new Request("resumeWebhook", "POST", "/v1/webhooks/" + Request.escape(id) + "/resume", Map.of(), null, true), new TypeReference<Webhook>() {}, options);
  }

  /**
   * Rotate the secret of a webhook endpoint. Old and new secrets are both valid during the overlap; configure the new one at the provider in that time. A
   * generated secret is shown only in this response.
   * 
   * Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public RotatedSecret rotateSecret(String id, RotateSecretRequest body, CallOptions options) {
    return transport.call(new Request("rotateSecret", "POST", "/v1/webhooks/" + Request.escape(id) + "/rotate-secret", Map.of(), body, true), new TypeReference<RotatedSecret>() {}, options);
  }

  /**
   * Send a signed test delivery to a webhook endpoint. The delivery is processed like any other: verified, stored and matched, and its triggers start workflows. Errors:
   * 409 <code>webhook_paused</code> if the endpoint is paused, 409 <code>cannot_sign</code> if the provider signs with a private key, 409
   * <code>webhook_secret_missing</code> if there is no secret.
   * 
   * Action <code>webhooks.write</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID of the webhook endpoint.
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TestedWebhook testWebhook(String id, CallOptions options) {
    return transport.call(new Request("testWebhook", "POST", "/v1/webhooks/" + Request.escape(id) + "/test", Map.of(), null, true), new TypeReference<TestedWebhook>() {}, options);
  }

  /**
   * List workers, most recently seen first. Without a range of <code>lastSeen</code> or <code>firstSeen</code>, lists workers seen in the last ten minutes.
   * 
   * Action <code>workers.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>tenant</code>, <code>kind</code>, <code>jobType</code>, <code>lastSeenAfter</code>, <code>lastSeenBefore</code>, <code>firstSeenAfter</code>, <code>firstSeenBefore</code>, <code>from</code>, <code>to</code>, <code>q</code>, <code>sort</code>, <code>order</code>, <code>count</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Worker> listWorkers(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWorkers", "GET", "/v1/workers", query, null, false), new TypeReference<Page<Worker>>() {}, options);
  }

  /**
   * Drain a worker. Until the worker is gone, its polls return no jobs but <code>drain</code>, and its stream ends. Jobs that it already has are
   * not affected. A worker that appears under the same ID after a minute of inactivity is not drained.
   * 
   * Action <code>workers.drain</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param id ID chosen by the worker.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   */
  public void drainWorker(String id, Map<String, ?> query, CallOptions options) {
    transport.call(new Request("drainWorker", "POST", "/v1/workers/" + Request.escape(id) + "/drain", query, null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List the latest version of each workflow, by name. Action <code>workflows.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>, <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Workflow> listWorkflows(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWorkflows", "GET", "/v1/workflows", query, null, false), new TypeReference<Page<Workflow>>() {}, options);
  }

  /**
   * Register a version of a workflow. Versions are immutable: the same content again returns 200, different content under the same version returns 409.
   * 
   * Action <code>workflows.register</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param body what is sent
   * @param query any of <code>validate</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public RegisteredWorkflow registerWorkflow(JsonNode body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("registerWorkflow", "POST", "/v1/workflows", query, body, true), new TypeReference<RegisteredWorkflow>() {}, options);
  }

  /**
   * Simulate a workflow. Runs a definition with the results that you give in place of handlers, people and other systems. Nothing is stored,
   * no job is created, and the clock jumps to the next timer. At a node without a result, the run ends and reports what
   * it waits for.
   * 
   * Action <code>workflows.simulate</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Simulation simulateWorkflow(SimulationRequest body, CallOptions options) {
    return transport.call(new Request("simulateWorkflow", "POST", "/v1/workflows/simulate", Map.of(), body, true), new TypeReference<Simulation>() {}, options);
  }

  /**
   * Show the latest version of a workflow. Action <code>workflows.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the workflow.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Workflow getWorkflow(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getWorkflow", "GET", "/v1/workflows/" + Request.escape(name), query, null, false), new TypeReference<Workflow>() {}, options);
  }

  /**
   * Show the searchable attributes of a workflow. Action <code>attributes.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the workflow.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, Attribute> getWorkflowAttributes(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getWorkflowAttributes", "GET", "/v1/workflows/" + Request.escape(name) + "/attributes", query, null, false), new TypeReference<Map<String, Attribute>>() {}, options);
  }

  /**
   * Declare searchable attributes of a workflow. Attributes that are absent from the request are kept; null removes an attribute. Applies to executions created from
   * now on and to their jobs.
   * 
   * Action <code>attributes.declare</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the workflow.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, Attribute> setWorkflowAttributes(String name, Map<String, AttributeDeclaration> body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("setWorkflowAttributes", "PUT", "/v1/workflows/" + Request.escape(name) + "/attributes", query, body, true), new TypeReference<Map<String, Attribute>>() {}, options);
  }

  /**
   * Show the limits of a workflow. Action <code>limits.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the workflow.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getWorkflowLimits(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getWorkflowLimits", "GET", "/v1/workflows/" + Request.escape(name) + "/limits", query, null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of a workflow. Action <code>workflows.limit</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the workflow.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setWorkflowLimits(String name, Map<String, LimitChanges> body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("setWorkflowLimits", "PUT", "/v1/workflows/" + Request.escape(name) + "/limits", query, body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Pause a workflow. Executions stay queued until the workflow is resumed; a running execution continues until it waits or ends. New ones
   * are queued as well, or rejected with 409 <code>workflow_paused</code>.
   * 
   * Action <code>workflows.pause</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the workflow.
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public WorkflowMode pauseWorkflow(String name, PauseRequest body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("pauseWorkflow", "POST", "/v1/workflows/" + Request.escape(name) + "/pause", query, body, true), new TypeReference<WorkflowMode>() {}, options);
  }

  /**
   * Resume a workflow. Action <code>workflows.pause</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the workflow.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public WorkflowMode resumeWorkflow(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("resumeWorkflow", "POST", "/v1/workflows/" + Request.escape(name) + "/resume", query, null, true), new TypeReference<WorkflowMode>() {}, options);
  }

  /**
   * List the versions of a workflow, newest first. Action <code>workflows.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the workflow.
   * @param query any of <code>limit</code>, <code>cursor</code>, <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Workflow> listVersions(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listVersions", "GET", "/v1/workflows/" + Request.escape(name) + "/versions", query, null, false), new TypeReference<Page<Workflow>>() {}, options);
  }

  /**
   * Show a version of a workflow. Action <code>workflows.read</code>: requires role <code>admin</code>, <code>operator</code>, <code>client</code> or <code>viewer</code>.
   *
   * @param name Name of the workflow.
   * @param version Version of the workflow.
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Workflow getVersion(String name, String version, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getVersion", "GET", "/v1/workflows/" + Request.escape(name) + "/versions/" + Request.escape(version), query, null, false), new TypeReference<Workflow>() {}, options);
  }

  /**
   * Set the source places of a version. A source place is the file and line of a node in the program that the version was compiled from. Source places are
   * not part of the definition or its content hash, and can be set again.
   * 
   * Action <code>workflows.register</code>: requires role <code>admin</code> or <code>operator</code>.
   *
   * @param name Name of the workflow.
   * @param version Version of the workflow.
   * @param body what is sent
   * @param options deadline and idempotency key
   */
  public void putSource(String name, String version, SourceRequest body, CallOptions options) {
    transport.call(new Request("putSource", "PUT", "/v1/workflows/" + Request.escape(name) + "/versions/" + Request.escape(version) + "/source", Map.of(), body, true), new TypeReference<Void>() {}, options);
  }
}
