// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
import type { Json } from "../json.js";
import type { CallOptions, Transport } from "../transport.js";
import type {
  Acceptances,
  AcceptedJobs,
  Alert,
  AlertNotification,
  AlertRoute,
  AlertRouteRequest,
  AlertRule,
  AlertRuleRequest,
  ApiKey,
  ApiKeyRequest,
  ArchiveRequest,
  Attribute,
  AttributeDeclaration,
  AuditLine,
  AuditVerification,
  Backfill,
  BackfillRequest,
  Batch,
  BatchItem,
  BatchResultCreatedExecution,
  BatchResultEnqueued,
  BatchResults,
  BuildPin,
  BuildPinRequest,
  BuildPins,
  BulkCancelRequest,
  BulkOperationRequest,
  BulkReplayRequest,
  BulkReprioritizeRequest,
  BulkRequeueRequest,
  BulkRerunRequest,
  CancelRequest,
  Command,
  CommandAccepted,
  Completion,
  CreatedExecution,
  DeadLetter,
  DeadLetterChange,
  DeadLetterGroup,
  DeadLetterGroupStanding,
  Delivery,
  DevTime,
  Dispatch,
  Doctor,
  EncryptionRequest,
  Enqueued,
  EventBatch,
  EventRequest,
  EventTrigger,
  EventTriggerRequest,
  Execution,
  ExecutionBatch,
  ExecutionRequest,
  ExecutionState,
  ExecutionWhy,
  Failure,
  GroupDecisionRequest,
  GroupIgnoreRequest,
  Heartbeat,
  Job,
  JobBatch,
  JobChange,
  JobLines,
  JobRequest,
  KeyRate,
  KeyRateRequest,
  KeyRates,
  KeyRotation,
  LimitChanges,
  ManualRun,
  Me,
  Move,
  MoveRequest,
  NewApiKey,
  Node,
  Outcomes,
  Page,
  PauseRequest,
  Poll,
  PolledJobs,
  Preview,
  PreviewRequest,
  Queue,
  QueueLimits,
  QueueMode,
  QueueScaling,
  RegisteredWorkflow,
  Release,
  ReplayRequest,
  ReplayedDelivery,
  Reports,
  ReprioritizeRequest,
  RequeueRequest,
  RerunRequest,
  Retention,
  RetentionRequest,
  RotateSecretRequest,
  RotatedSecret,
  SavedWebhook,
  Schedule,
  ScheduleRequest,
  ScheduleRun,
  Secret,
  SecretRequest,
  SentEvent,
  SentEvents,
  Server,
  Session,
  Settlements,
  SignalRequest,
  Silence,
  SilenceRequest,
  Simulation,
  SimulationRequest,
  SourceRequest,
  Stats,
  StoredLogLine,
  Suggestions,
  Tenant,
  TenantEncryption,
  TenantErasure,
  TenantQuotas,
  TenantQuotasRequest,
  TenantRequest,
  TenantUsage,
  TestedWebhook,
  TimeMoveRequest,
  TimelineEvent,
  UserTask,
  UserTaskCompletion,
  UserTaskRound,
  View,
  ViewRequest,
  Webhook,
  WebhookRequest,
  Why,
  Worker,
  Workflow,
  WorkflowMode,
} from "./models.js";

/** Every call of the REST API. `Client` is the friendlier way to most of them. */
export class Api {
  constructor(private readonly transport: Transport) {}

  /**
   * List alerts, newest first
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listAlerts(query: { status?: string | undefined; rule?: string | undefined; severity?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Alert>> {
    return this.transport.call({ name: "listAlerts", method: "GET", path: "/v1/alerts", query }, options) as Promise<Page<Alert>>;
  }

  /**
   * List notifications, newest first
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listNotifications(query: { status?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<AlertNotification>> {
    return this.transport.call({ name: "listNotifications", method: "GET", path: "/v1/alerts/notifications", query }, options) as Promise<Page<AlertNotification>>;
  }

  /**
   * Send a notification again
   *
   * Only for a notification that has not been sent. The count of attempts starts again from zero.
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  retryNotification(id: string, options: CallOptions = {}): Promise<AlertNotification> {
    return this.transport.call({ name: "retryNotification", method: "POST", path: `/v1/alerts/notifications/${encodeURIComponent(id)}/retry`, keyed: true }, options) as Promise<AlertNotification>;
  }

  /**
   * List alert routes by name
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listRoutes(options: CallOptions = {}): Promise<Page<AlertRoute>> {
    return this.transport.call({ name: "listRoutes", method: "GET", path: "/v1/alerts/routes" }, options) as Promise<Page<AlertRoute>>;
  }

  /**
   * Show an alert route
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getRoute(name: string, options: CallOptions = {}): Promise<AlertRoute> {
    return this.transport.call({ name: "getRoute", method: "GET", path: `/v1/alerts/routes/${encodeURIComponent(name)}` }, options) as Promise<AlertRoute>;
  }

  /**
   * Set an alert route
   *
   * Webhook requests are signed according to Standard Webhooks. If `secret` is absent, one is generated and shown once.
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  putRoute(name: string, body: AlertRouteRequest, options: CallOptions = {}): Promise<AlertRoute> {
    return this.transport.call({ name: "putRoute", method: "PUT", path: `/v1/alerts/routes/${encodeURIComponent(name)}`, body, keyed: true }, options) as Promise<AlertRoute>;
  }

  /**
   * Delete an alert route
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  deleteRoute(name: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteRoute", method: "DELETE", path: `/v1/alerts/routes/${encodeURIComponent(name)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Send a test notification
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  testRoute(name: string, options: CallOptions = {}): Promise<AlertNotification> {
    return this.transport.call({ name: "testRoute", method: "POST", path: `/v1/alerts/routes/${encodeURIComponent(name)}/test`, keyed: true }, options) as Promise<AlertNotification>;
  }

  /**
   * List alert rules by name
   *
   * Includes the default rules and the rules that were set.
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listRules(options: CallOptions = {}): Promise<Page<AlertRule>> {
    return this.transport.call({ name: "listRules", method: "GET", path: "/v1/alerts/rules" }, options) as Promise<Page<AlertRule>>;
  }

  /**
   * Show an alert rule
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getRule(name: string, options: CallOptions = {}): Promise<AlertRule> {
    return this.transport.call({ name: "getRule", method: "GET", path: `/v1/alerts/rules/${encodeURIComponent(name)}` }, options) as Promise<AlertRule>;
  }

  /**
   * Set an alert rule
   *
   * Replaces an existing rule of the same name, including a default rule.
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  putRule(name: string, body: AlertRuleRequest, options: CallOptions = {}): Promise<AlertRule> {
    return this.transport.call({ name: "putRule", method: "PUT", path: `/v1/alerts/rules/${encodeURIComponent(name)}`, body, keyed: true }, options) as Promise<AlertRule>;
  }

  /**
   * Delete an alert rule
   *
   * Deleting a rule that replaces a default rule restores the default. To disable a default rule, set `enabled: false`.
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  deleteRule(name: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteRule", method: "DELETE", path: `/v1/alerts/rules/${encodeURIComponent(name)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * List silences, newest first
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listSilences(options: CallOptions = {}): Promise<Page<Silence>> {
    return this.transport.call({ name: "listSilences", method: "GET", path: "/v1/alerts/silences" }, options) as Promise<Page<Silence>>;
  }

  /**
   * Silence alerts
   *
   * No notifications are sent while the silence lasts. Alerts that still fire when it ends are sent then.
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  addSilence(body: SilenceRequest, options: CallOptions = {}): Promise<Silence> {
    return this.transport.call({ name: "addSilence", method: "POST", path: "/v1/alerts/silences", body, keyed: true }, options) as Promise<Silence>;
  }

  /**
   * Show a silence that has not ended
   *
   * Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getSilence(id: string, options: CallOptions = {}): Promise<Silence> {
    return this.transport.call({ name: "getSilence", method: "GET", path: `/v1/alerts/silences/${encodeURIComponent(id)}` }, options) as Promise<Silence>;
  }

  /**
   * End a silence
   *
   * Action `alerts.write`: requires role `admin` or `operator`.
   */
  endSilence(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "endSilence", method: "DELETE", path: `/v1/alerts/silences/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * List API keys without their secrets, newest first
   *
   * Action `keys.read`: requires role `admin`.
   */
  listKeys(query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<ApiKey>> {
    return this.transport.call({ name: "listKeys", method: "GET", path: "/v1/api-keys", query }, options) as Promise<Page<ApiKey>>;
  }

  /**
   * Create an API key
   *
   * The secret is shown only in this response.
   *
   * Action `keys.write`: requires role `admin`.
   */
  createKey(body: ApiKeyRequest, options: CallOptions = {}): Promise<NewApiKey> {
    return this.transport.call({ name: "createKey", method: "POST", path: "/v1/api-keys", body, keyed: true }, options) as Promise<NewApiKey>;
  }

  /**
   * Revoke an API key
   *
   * Action `keys.write`: requires role `admin`.
   */
  revokeKey(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "revokeKey", method: "DELETE", path: `/v1/api-keys/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Rotate the secret of an API key
   *
   * The secret is shown only in this response. ID, role and scopes do not change. The previous secret stays valid for
   * `overlap`.
   *
   * Action `keys.write`: requires role `admin`.
   */
  rotateKey(id: string, body: KeyRotation, options: CallOptions = {}): Promise<NewApiKey> {
    return this.transport.call({ name: "rotateKey", method: "POST", path: `/v1/api-keys/${encodeURIComponent(id)}/rotate`, body, keyed: true }, options) as Promise<NewApiKey>;
  }

  /**
   * List archived dead letters, newest first
   *
   * Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listArchive(query: { queue?: string | undefined; workflow?: string | undefined; jobType?: string | undefined; tenant?: string | undefined; fingerprint?: string | undefined; reason?: string | undefined; status?: string | undefined; tag?: string | undefined; workerId?: string | undefined; executionId?: string | undefined; scheduleId?: string | undefined; deliveryId?: string | undefined; diedAfter?: string | undefined; diedBefore?: string | undefined; resolvedAfter?: string | undefined; resolvedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<DeadLetter>> {
    return this.transport.call({ name: "listArchive", method: "GET", path: "/v1/archive", query }, options) as Promise<Page<DeadLetter>>;
  }

  /**
   * List the audit log, newest first
   *
   * Several values of a parameter are separated by commas; any of them matches.
   *
   * Action `audit.read`: requires role `admin` or `operator`.
   */
  listAudit(query: { actor?: string | undefined; action?: string | undefined; subject?: string | undefined; tenant?: string | undefined; address?: string | undefined; requestId?: string | undefined; outcome?: string | undefined; door?: string | undefined; batch?: string | undefined; atAfter?: string | undefined; atBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<AuditLine>> {
    return this.transport.call({ name: "listAudit", method: "GET", path: "/v1/audit", query }, options) as Promise<Page<AuditLine>>;
  }

  /**
   * Verify the hash chain of the audit log
   *
   * Verifies at most 10,000 entries; continue with `from` = `last.seq` + 1 until `last.seq` is `head.seq`. Requires a key that is
   * not bound to a tenant.
   *
   * Action `audit.read`: requires role `admin` or `operator`.
   */
  verifyAudit(query: { from?: number | undefined; to?: number | undefined } = {}, options: CallOptions = {}): Promise<AuditVerification> {
    return this.transport.call({ name: "verifyAudit", method: "GET", path: "/v1/audit/verify", query }, options) as Promise<AuditVerification>;
  }

  /**
   * List bulk operations, newest first
   *
   * Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listBatches(query: { kind?: string | undefined; status?: string | undefined; actor?: string | undefined; createdAfter?: string | undefined; createdBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Batch>> {
    return this.transport.call({ name: "listBatches", method: "GET", path: "/v1/batches", query }, options) as Promise<Page<Batch>>;
  }

  /**
   * Show the progress of a bulk operation
   *
   * Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getBatch(id: string, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "getBatch", method: "GET", path: `/v1/batches/${encodeURIComponent(id)}` }, options) as Promise<Batch>;
  }

  /**
   * Abort a bulk operation
   *
   * Changes that were already made are kept.
   *
   * Action `batches.abort`: requires role `admin` or `operator`.
   */
  abortBatch(id: string, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "abortBatch", method: "POST", path: `/v1/batches/${encodeURIComponent(id)}/abort`, keyed: true }, options) as Promise<Batch>;
  }

  /**
   * List the objects of a bulk operation and their outcomes, in processing order
   *
   * Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listBatchItems(id: string, query: { outcome?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<BatchItem>> {
    return this.transport.call({ name: "listBatchItems", method: "GET", path: `/v1/batches/${encodeURIComponent(id)}/items`, query }, options) as Promise<Page<BatchItem>>;
  }

  /**
   * Pause a bulk operation
   *
   * Action `batches.pause`: requires role `admin` or `operator`.
   */
  pauseBatch(id: string, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "pauseBatch", method: "POST", path: `/v1/batches/${encodeURIComponent(id)}/pause`, keyed: true }, options) as Promise<Batch>;
  }

  /**
   * Resume a paused bulk operation
   *
   * Action `batches.pause`: requires role `admin` or `operator`.
   */
  resumeBatch(id: string, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "resumeBatch", method: "POST", path: `/v1/batches/${encodeURIComponent(id)}/resume`, keyed: true }, options) as Promise<Batch>;
  }

  /**
   * List job types that are pinned to builds
   *
   * Action `builds.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listBuildPins(query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<BuildPins> {
    return this.transport.call({ name: "listBuildPins", method: "GET", path: "/v1/builds", query }, options) as Promise<BuildPins>;
  }

  /**
   * Show the status of a command
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getCommand(position: string, options: CallOptions = {}): Promise<Command> {
    return this.transport.call({ name: "getCommand", method: "GET", path: `/v1/commands/${encodeURIComponent(position)}` }, options) as Promise<Command>;
  }

  /**
   * List dead letters, newest first
   *
   * Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listDeadLetters(query: { queue?: string | undefined; workflow?: string | undefined; jobType?: string | undefined; tenant?: string | undefined; fingerprint?: string | undefined; reason?: string | undefined; status?: string | undefined; tag?: string | undefined; workerId?: string | undefined; executionId?: string | undefined; scheduleId?: string | undefined; deliveryId?: string | undefined; diedAfter?: string | undefined; diedBefore?: string | undefined; resolvedAfter?: string | undefined; resolvedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<DeadLetter>> {
    return this.transport.call({ name: "listDeadLetters", method: "GET", path: "/v1/dead-letters", query }, options) as Promise<Page<DeadLetter>>;
  }

  /**
   * Archive many dead letters
   *
   * Action `deadLetters.archive`: requires role `admin` or `operator`.
   */
  archiveDeadLetters(body: BulkOperationRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "archiveDeadLetters", method: "POST", path: "/v1/dead-letters/archive", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * List open dead letters grouped by error, largest group first
   *
   * A resolved group reopens when the error occurs again. An ignored group reopens at the given instant, after the given
   * number of dead letters, or with the given version. With `state`, only the largest 500 groups are considered.
   *
   * Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listGroups(query: { queue?: string | undefined; workflow?: string | undefined; jobType?: string | undefined; tenant?: string | undefined; fingerprint?: string | undefined; reason?: string | undefined; status?: string | undefined; state?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<DeadLetterGroup>> {
    return this.transport.call({ name: "listGroups", method: "GET", path: "/v1/dead-letters/groups", query }, options) as Promise<Page<DeadLetterGroup>>;
  }

  /**
   * Ignore a group of dead letters
   *
   * The group is ignored until a given instant, until a given number of further dead letters, until the error occurs in
   * a given version of a workflow, or until someone reopens it.
   *
   * Action `deadLetters.resolve`: requires role `admin` or `operator`.
   */
  ignoreGroup(fingerprint: string, body: GroupIgnoreRequest, options: CallOptions = {}): Promise<DeadLetterGroupStanding> {
    return this.transport.call({ name: "ignoreGroup", method: "POST", path: `/v1/dead-letters/groups/${encodeURIComponent(fingerprint)}/ignore`, body, keyed: true }, options) as Promise<DeadLetterGroupStanding>;
  }

  /**
   * Reopen a group of dead letters
   *
   * Action `deadLetters.resolve`: requires role `admin` or `operator`.
   */
  reopenGroup(fingerprint: string, body: GroupDecisionRequest, options: CallOptions = {}): Promise<DeadLetterGroupStanding> {
    return this.transport.call({ name: "reopenGroup", method: "POST", path: `/v1/dead-letters/groups/${encodeURIComponent(fingerprint)}/reopen`, body, keyed: true }, options) as Promise<DeadLetterGroupStanding>;
  }

  /**
   * Resolve a group of dead letters
   *
   * Its dead letters do not change. The group reopens automatically when the error occurs again.
   *
   * Action `deadLetters.resolve`: requires role `admin` or `operator`.
   */
  resolveGroup(fingerprint: string, body: GroupDecisionRequest, options: CallOptions = {}): Promise<DeadLetterGroupStanding> {
    return this.transport.call({ name: "resolveGroup", method: "POST", path: `/v1/dead-letters/groups/${encodeURIComponent(fingerprint)}/resolve`, body, keyed: true }, options) as Promise<DeadLetterGroupStanding>;
  }

  /**
   * Requeue many dead letters
   *
   * Action `deadLetters.requeue`: requires role `admin` or `operator`.
   */
  requeueDeadLetters(body: BulkRequeueRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "requeueDeadLetters", method: "POST", path: "/v1/dead-letters/requeue", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Show a dead letter with its attempts
   *
   * Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getDeadLetter(id: string, query: { maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<DeadLetter> {
    return this.transport.call({ name: "getDeadLetter", method: "GET", path: `/v1/dead-letters/${encodeURIComponent(id)}`, query }, options) as Promise<DeadLetter>;
  }

  /**
   * Archive a dead letter
   *
   * Action `deadLetters.archive`: requires role `admin` or `operator`.
   */
  archiveDeadLetter(id: string, body: ArchiveRequest, options: CallOptions = {}): Promise<DeadLetterChange> {
    return this.transport.call({ name: "archiveDeadLetter", method: "POST", path: `/v1/dead-letters/${encodeURIComponent(id)}/archive`, body, keyed: true }, options) as Promise<DeadLetterChange>;
  }

  /**
   * Get the data of a dead letter
   *
   * Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getDeadLetterData(id: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getDeadLetterData", method: "GET", path: `/v1/dead-letters/${encodeURIComponent(id)}/data` }, options) as Promise<Json>;
  }

  /**
   * Requeue a dead letter
   *
   * The job returns to its queue with its original ID, its history and a new retry budget. Repeating the call creates no
   * second job.
   *
   * Action `deadLetters.requeue`: requires role `admin` or `operator`.
   */
  requeueDeadLetter(id: string, body: RequeueRequest, options: CallOptions = {}): Promise<DeadLetterChange> {
    return this.transport.call({ name: "requeueDeadLetter", method: "POST", path: `/v1/dead-letters/${encodeURIComponent(id)}/requeue`, body, keyed: true }, options) as Promise<DeadLetterChange>;
  }

  /**
   * List deliveries, newest first
   *
   * Includes deliveries of every status (accepted, held, matched, unmatched, parked, duplicate, rejected, handshake) and
   * of deleted endpoints.
   *
   * Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listDeliveries(query: { source?: string | undefined; webhookId?: string | undefined; tenant?: string | undefined; status?: string | undefined; eventType?: string | undefined; reason?: string | undefined; remoteAddress?: string | undefined; executionId?: string | undefined; receivedAfter?: string | undefined; receivedBefore?: string | undefined; processedAfter?: string | undefined; processedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Delivery>> {
    return this.transport.call({ name: "listDeliveries", method: "GET", path: "/v1/deliveries", query }, options) as Promise<Page<Delivery>>;
  }

  /**
   * Replay many deliveries
   *
   * Action `deliveries.replay`: requires role `admin` or `operator`.
   */
  replayDeliveries(body: BulkReplayRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "replayDeliveries", method: "POST", path: "/v1/deliveries/replay", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Show a delivery with its headers and its body
   *
   * Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getDelivery(id: string, query: { maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<Delivery> {
    return this.transport.call({ name: "getDelivery", method: "GET", path: `/v1/deliveries/${encodeURIComponent(id)}`, query }, options) as Promise<Delivery>;
  }

  /**
   * Replay a delivery
   *
   * Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
   * deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
   * with `allTriggers`.
   *
   * Action `deliveries.replay`: requires role `admin` or `operator`.
   */
  replayDelivery(id: string, body: ReplayRequest, options: CallOptions = {}): Promise<ReplayedDelivery> {
    return this.transport.call({ name: "replayDelivery", method: "POST", path: `/v1/deliveries/${encodeURIComponent(id)}/replay`, body, keyed: true }, options) as Promise<ReplayedDelivery>;
  }

  /**
   * Move the time of a development server
   *
   * Only on a server started with `trunkline dev --time-skip`; other servers return 409 `time_is_real`. On such a
   * server, schedules fire only through this call. The call waits while a job is leased or a request is in progress, and
   * returns 409 `time_is_held` after 20 seconds.
   *
   * Action `time.move`: requires role `admin`.
   */
  moveTime(body: TimeMoveRequest, options: CallOptions = {}): Promise<DevTime> {
    return this.transport.call({ name: "moveTime", method: "POST", path: "/v1/dev/time", body, keyed: true }, options) as Promise<DevTime>;
  }

  /**
   * Get the state of dispatch
   *
   * Returns the mode, the nodes with their relays, the shards with their owners and terms, the open offers, and the jobs
   * that wait for an offer. The figures of a relay are updated when it renews its term, every few seconds. Requires a
   * key that is not bound to a tenant.
   *
   * Action `servers.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getDispatch(options: CallOptions = {}): Promise<Dispatch> {
    return this.transport.call({ name: "getDispatch", method: "GET", path: "/v1/dispatch" }, options) as Promise<Dispatch>;
  }

  /**
   * Check the deployment
   *
   * Checks schema, connection pooler, old snapshots, dead rows, clocks, leases, parked executions, disk, certificates,
   * keys and dispatch. Each warning and failure says how to fix it. Requires role `admin` and a key that is not bound to
   * a tenant.
   *
   * Action `doctor.read`: requires role `admin`.
   */
  examine(options: CallOptions = {}): Promise<Doctor> {
    return this.transport.call({ name: "examine", method: "GET", path: "/v1/doctor" }, options) as Promise<Doctor>;
  }

  /**
   * Send an event
   *
   * Matching triggers start workflows, and executions that wait for the event continue. A 202 means that the event is
   * stored durably. A duplicate of an event of the last 24 hours returns 200 with the first delivery.
   * 429 `quota_exceeded` with the quota `waitingStartBytes` if a trigger would delay the start and no more starts may wait.
   *
   * Action `events.send`: requires role `admin`, `operator` or `client`.
   */
  sendEvent(body: EventRequest, options: CallOptions = {}): Promise<SentEvent> {
    return this.transport.call({ name: "sendEvent", method: "POST", path: "/v1/events", body, keyed: true }, options) as Promise<SentEvent>;
  }

  /**
   * Send many events in one commit
   *
   * Atomic: all events are accepted, or none.
   *
   * Action `events.send`: requires role `admin`, `operator` or `client`.
   */
  sendEventBatch(body: EventBatch, options: CallOptions = {}): Promise<SentEvents> {
    return this.transport.call({ name: "sendEventBatch", method: "POST", path: "/v1/events/batch", body, keyed: true }, options) as Promise<SentEvents>;
  }

  /**
   * List executions, newest first
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listExecutions(query: { workflow?: string | undefined; version?: string | undefined; status?: string | undefined; tenant?: string | undefined; priority?: string | undefined; tag?: string | undefined; trigger?: string | undefined; fingerprint?: string | undefined; correlationId?: string | undefined; uniqueKey?: string | undefined; parent?: string | undefined; scheduleId?: string | undefined; webhookId?: string | undefined; deliveryId?: string | undefined; createdAfter?: string | undefined; createdBefore?: string | undefined; startedAfter?: string | undefined; startedBefore?: string | undefined; completedAfter?: string | undefined; completedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Execution>> {
    return this.transport.call({ name: "listExecutions", method: "GET", path: "/v1/executions", query }, options) as Promise<Page<Execution>>;
  }

  /**
   * Start an execution
   *
   * A 202 means that the execution is stored durably. With `wait`, the response is 200 with the ended execution, or 202
   * when the timeout expires.
   *
   * Action `executions.start`: requires role `admin`, `operator` or `client`.
   */
  startExecution(body: ExecutionRequest, query: { wait?: boolean | undefined; timeout?: string | undefined } = {}, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "startExecution", method: "POST", path: "/v1/executions", query, body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Start many executions in one commit
   *
   * Atomic, unless `partial` is true: then valid executions are accepted and each invalid one has its error in the
   * results.
   *
   * Action `executions.start`: requires role `admin`, `operator` or `client`.
   */
  startExecutions(body: ExecutionBatch, options: CallOptions = {}): Promise<BatchResults<BatchResultCreatedExecution>> {
    return this.transport.call({ name: "startExecutions", method: "POST", path: "/v1/executions/batch", body, keyed: true }, options) as Promise<BatchResults<BatchResultCreatedExecution>>;
  }

  /**
   * Cancel many executions
   *
   * Action `executions.cancel`: requires role `admin`, `operator` or `client`.
   */
  cancelExecutions(body: BulkCancelRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "cancelExecutions", method: "POST", path: "/v1/executions/cancel", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Rerun many ended executions from a node
   *
   * Action `executions.rerun`: requires role `admin`, `operator` or `client`.
   */
  rerunExecutions(body: BulkRerunRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "rerunExecutions", method: "POST", path: "/v1/executions/rerun", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Retry many failed executions from their failed nodes
   *
   * Action `executions.retry`: requires role `admin`, `operator` or `client`.
   */
  retryExecutions(body: BulkOperationRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "retryExecutions", method: "POST", path: "/v1/executions/retry", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Show an execution
   *
   * With `wait`, the response is delayed until the execution ends or the timeout expires.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getExecution(id: string, query: { wait?: boolean | undefined; timeout?: string | undefined; maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<Execution> {
    return this.transport.call({ name: "getExecution", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}`, query }, options) as Promise<Execution>;
  }

  /**
   * Cancel an execution
   *
   * With `compensate`, completed nodes are compensated first, in reverse order.
   *
   * Action `executions.cancel`: requires role `admin`, `operator` or `client`.
   */
  cancelExecution(id: string, body: CancelRequest, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "cancelExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/cancel`, body, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /**
   * Show the timeline of an execution, oldest first
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listTimeline(id: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<TimelineEvent>> {
    return this.transport.call({ name: "listTimeline", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/events`, query }, options) as Promise<Page<TimelineEvent>>;
  }

  /**
   * Get the input of an execution
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getExecutionInput(id: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getExecutionInput", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/input` }, options) as Promise<Json>;
  }

  /**
   * List the log lines of an execution
   *
   * Returns the lines of all nodes in order of time. A page may be short or empty and still have a `nextCursor` if few
   * lines have the level.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listExecutionLogs(id: string, query: { level?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<StoredLogLine>> {
    return this.transport.call({ name: "listExecutionLogs", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/logs`, query }, options) as Promise<Page<StoredLogLine>>;
  }

  /**
   * List the nodes of an execution, in definition order
   *
   * A compensation that has started is listed after its node, as `charge:compensate`.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listNodes(id: string, query: { items?: boolean | undefined; maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<Page<Node>> {
    return this.transport.call({ name: "listNodes", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/nodes`, query }, options) as Promise<Page<Node>>;
  }

  /**
   * Show a node of an execution
   *
   * Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
   * settled.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getNode(id: string, nodeId: string, query: { maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<Node> {
    return this.transport.call({ name: "getNode", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/nodes/${encodeURIComponent(nodeId)}`, query }, options) as Promise<Node>;
  }

  /**
   * Get the input of a node
   *
   * Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
   * settled.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getNodeInput(id: string, nodeId: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getNodeInput", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/nodes/${encodeURIComponent(nodeId)}/input` }, options) as Promise<Json>;
  }

  /**
   * List the settled items of a MAP node, in the order in which they settled
   *
   * A page may be short or empty and still have a `nextCursor`, because a call reads a bounded number of results. An
   * item that ran again is listed again; the later entry is the current one. The input of an item that ran as a job is
   * stored with the job. Items in progress are listed with the nodes.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listNodeItems(id: string, nodeId: string, query: { limit?: number | undefined; cursor?: string | undefined; maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<Page<Node>> {
    return this.transport.call({ name: "listNodeItems", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/nodes/${encodeURIComponent(nodeId)}/items`, query }, options) as Promise<Page<Node>>;
  }

  /**
   * Get the output of a node
   *
   * Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
   * settled.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getNodeOutput(id: string, nodeId: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getNodeOutput", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/nodes/${encodeURIComponent(nodeId)}/output` }, options) as Promise<Json>;
  }

  /**
   * Get the output of an execution
   *
   * `null` until it completes.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getExecutionOutput(id: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getExecutionOutput", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/output` }, options) as Promise<Json>;
  }

  /**
   * Rerun an execution from a node
   *
   * Starts a new execution of the same version. Results of nodes that do not follow the given node are reused;
   * those nodes do not run again. A failed rerun compensates its own nodes, and the reused ones
   * only with `compensateOriginal`.
   *
   * Action `executions.rerun`: requires role `admin`, `operator` or `client`.
   */
  rerunExecution(id: string, body: RerunRequest, options: CallOptions = {}): Promise<CreatedExecution> {
    return this.transport.call({ name: "rerunExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/rerun`, body, keyed: true }, options) as Promise<CreatedExecution>;
  }

  /**
   * Retry a failed execution from its failed nodes
   *
   * Action `executions.retry`: requires role `admin`, `operator` or `client`.
   */
  retryExecution(id: string, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "retryExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/retry`, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /**
   * Send a signal to an execution
   *
   * The first node that waits for this signal name receives it. Earlier signals are buffered, at most 1,000 per
   * execution.
   *
   * Action `executions.signal`: requires role `admin`, `operator` or `client`.
   */
  signalExecution(id: string, name: string, body: SignalRequest, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "signalExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/signals/${encodeURIComponent(name)}`, body, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /**
   * List the states of a finished execution, oldest first
   *
   * Returns one state for each timeline entry: the status of the execution and its nodes after that entry. Parked
   * executions are shown as RUNNING. Covers the first 50,000 entries. Requires a key that shows payloads.
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listStates(id: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<ExecutionState>> {
    return this.transport.call({ name: "listStates", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/states`, query }, options) as Promise<Page<ExecutionState>>;
  }

  /**
   * Complete a user task
   *
   * The output is validated against the task's form. Errors: 409 `user_task_not_open` if the task is closed, 409
   * `user_task_round` for another round, 409 `user_task_claimed` if someone else has claimed it. A task with an assignee
   * or group requires an API key of that person or group, or role `operator`.
   *
   * Action `userTasks.complete`: requires role `admin`, `operator` or `client`.
   */
  completeUserTask(id: string, nodeId: string, body: UserTaskCompletion, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "completeUserTask", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/user-tasks/${encodeURIComponent(nodeId)}/complete`, body, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /**
   * Explain what an execution is waiting for
   *
   * Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  whyExecution(id: string, options: CallOptions = {}): Promise<ExecutionWhy> {
    return this.transport.call({ name: "whyExecution", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/why` }, options) as Promise<ExecutionWhy>;
  }

  /**
   * Show the searchable attributes of a job type
   *
   * Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getJobTypeAttributes(jobType: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, Attribute>> {
    return this.transport.call({ name: "getJobTypeAttributes", method: "GET", path: `/v1/job-types/${encodeURIComponent(jobType)}/attributes`, query }, options) as Promise<Record<string, Attribute>>;
  }

  /**
   * Declare searchable attributes of a job type
   *
   * Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs created from now
   * on.
   *
   * Action `attributes.declare`: requires role `admin` or `operator`.
   */
  setJobTypeAttributes(jobType: string, body: Record<string, AttributeDeclaration>, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, Attribute>> {
    return this.transport.call({ name: "setJobTypeAttributes", method: "PUT", path: `/v1/job-types/${encodeURIComponent(jobType)}/attributes`, query, body, keyed: true }, options) as Promise<Record<string, Attribute>>;
  }

  /**
   * Pin a job type to builds
   *
   * From the next claim on, only workers that poll with one of these builds receive its jobs. While there is no such
   * worker, the jobs wait; leased jobs are not affected. A tenant's own pin takes precedence over the pin for all
   * tenants.
   *
   * Action `builds.pin`: requires role `admin` or `operator`.
   */
  pinBuilds(jobType: string, body: BuildPinRequest, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<BuildPin> {
    return this.transport.call({ name: "pinBuilds", method: "PUT", path: `/v1/job-types/${encodeURIComponent(jobType)}/builds`, query, body, keyed: true }, options) as Promise<BuildPin>;
  }

  /**
   * Unpin a job type
   *
   * From the next claim on, any worker that polls for the job type receives its jobs.
   *
   * Action `builds.pin`: requires role `admin` or `operator`.
   */
  unpinBuilds(jobType: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "unpinBuilds", method: "DELETE", path: `/v1/job-types/${encodeURIComponent(jobType)}/builds`, query, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Show the limits of a job type
   *
   * With `tenant`, the limits of the tenant's jobs of this type; otherwise the limits across all tenants.
   *
   * Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getJobTypeLimits(jobType: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getJobTypeLimits", method: "GET", path: `/v1/job-types/${encodeURIComponent(jobType)}/limits`, query }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Change the limits of a job type
   *
   * With `tenant`, the limits apply to the tenant's jobs of this type; otherwise across all tenants. If both are set,
   * both apply. Job types have limits on `workflow-node` only.
   *
   * Action `limits.set`: requires role `admin` or `operator`.
   */
  setJobTypeLimits(jobType: string, body: Record<string, LimitChanges>, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setJobTypeLimits", method: "PUT", path: `/v1/job-types/${encodeURIComponent(jobType)}/limits`, query, body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * List jobs, newest first
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listJobs(query: { queue?: string | undefined; status?: string | undefined; jobType?: string | undefined; workflow?: string | undefined; tenant?: string | undefined; priority?: string | undefined; tag?: string | undefined; fingerprint?: string | undefined; workerId?: string | undefined; executionId?: string | undefined; nodeId?: string | undefined; scheduleId?: string | undefined; deliveryId?: string | undefined; uniqueKey?: string | undefined; concurrencyKey?: string | undefined; rateKey?: string | undefined; createdAfter?: string | undefined; createdBefore?: string | undefined; runAfter?: string | undefined; runBefore?: string | undefined; processedAfter?: string | undefined; processedBefore?: string | undefined; completedAfter?: string | undefined; completedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Job>> {
    return this.transport.call({ name: "listJobs", method: "GET", path: "/v1/jobs", query }, options) as Promise<Page<Job>>;
  }

  /**
   * Enqueue a job
   *
   * The job is queued on `workflow-node` until a worker that polls for its type claims it. A 202 means that it is stored
   * durably.
   *
   * Action `jobs.enqueue`: requires role `admin`, `operator` or `client`.
   */
  enqueueJob(body: JobRequest, options: CallOptions = {}): Promise<Enqueued> {
    return this.transport.call({ name: "enqueueJob", method: "POST", path: "/v1/jobs", body, keyed: true }, options) as Promise<Enqueued>;
  }

  /**
   * Accept jobs from Kafka
   *
   * Starts the leases of jobs that were received from Kafka, one call per fetch. `taken` means a duplicate: another
   * worker has the job, and this worker must not run it. Reports carry the `leaseToken` of the response.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  acceptJobs(body: Acceptances, options: CallOptions = {}): Promise<AcceptedJobs> {
    return this.transport.call({ name: "acceptJobs", method: "POST", path: "/v1/jobs/accept", body, keyed: true }, options) as Promise<AcceptedJobs>;
  }

  /**
   * Enqueue many jobs in one commit
   *
   * Atomic, unless `partial` is true: then valid jobs are accepted and each invalid one has its error in the
   * results.
   *
   * Action `jobs.enqueue`: requires role `admin`, `operator` or `client`.
   */
  enqueueJobs(body: JobBatch, options: CallOptions = {}): Promise<BatchResults<BatchResultEnqueued>> {
    return this.transport.call({ name: "enqueueJobs", method: "POST", path: "/v1/jobs/batch", body, keyed: true }, options) as Promise<BatchResults<BatchResultEnqueued>>;
  }

  /**
   * Cancel many jobs
   *
   * Action `jobs.cancel`: requires role `admin`, `operator` or `client`.
   */
  cancelJobs(body: BulkOperationRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "cancelJobs", method: "POST", path: "/v1/jobs/cancel", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Complete jobs
   *
   * Each job has its own outcome: a result that is too large is `rejected` with a reason, and the other jobs complete.
   * With `poll`, the response also carries the next jobs.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  completeJobs(body: Settlements<Completion>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "completeJobs", method: "POST", path: "/v1/jobs/complete", body }, options) as Promise<Outcomes>;
  }

  /**
   * Fail jobs
   *
   * Each job is retried after its backoff, or becomes a dead letter if it has no retries left or is not `retryable`.
   * With `poll`, the response also carries the next jobs.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  failJobs(body: Settlements<Failure>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "failJobs", method: "POST", path: "/v1/jobs/fail", body }, options) as Promise<Outcomes>;
  }

  /**
   * Renew leases
   *
   * `cancelled` and `lease_lost` mean that this worker no longer owns the job; its handler should stop.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  heartbeatJobs(body: Reports<Heartbeat>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "heartbeatJobs", method: "POST", path: "/v1/jobs/heartbeat", body }, options) as Promise<Outcomes>;
  }

  /**
   * Add log lines to leased jobs
   *
   * Each attempt keeps at most 1,000 lines and 256 KiB; one more line says how many were dropped. 429 `quota_exceeded` if
   * the tenants of all lines have reached their quota `logBytes`; if only some have, their lines are dropped.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  logJobs(body: Reports<JobLines>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "logJobs", method: "POST", path: "/v1/jobs/logs", body }, options) as Promise<Outcomes>;
  }

  /**
   * Poll for jobs
   *
   * Leases up to `maxJobs` jobs of the given types to the worker. With `wait`, the request blocks until a job is
   * available. A worker that is being drained receives no jobs, and `drain` is true.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  pollJobs(body: Poll, options: CallOptions = {}): Promise<PolledJobs> {
    return this.transport.call({ name: "pollJobs", method: "POST", path: "/v1/jobs/poll", body }, options) as Promise<PolledJobs>;
  }

  /**
   * Release jobs
   *
   * The jobs return to their queue without consuming an attempt, immediately or after `delay`. Reported progress is
   * passed to the next attempt.
   *
   * Action `jobs.work`: requires role `admin`, `operator` or `worker`.
   */
  releaseJobs(body: Reports<Release>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "releaseJobs", method: "POST", path: "/v1/jobs/release", body }, options) as Promise<Outcomes>;
  }

  /**
   * Change the priority of many waiting jobs
   *
   * Action `jobs.reprioritize`: requires role `admin`, `operator` or `client`.
   */
  reprioritizeJobs(body: BulkReprioritizeRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "reprioritizeJobs", method: "POST", path: "/v1/jobs/reprioritize", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Make many waiting jobs due now
   *
   * Action `jobs.retry`: requires role `admin`, `operator` or `client`.
   */
  retryJobs(body: BulkOperationRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "retryJobs", method: "POST", path: "/v1/jobs/retry", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Show a job with its attempts
   *
   * With `wait`, the response is delayed until the job ends or the timeout expires.
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getJob(id: string, query: { wait?: boolean | undefined; timeout?: string | undefined; maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<Job> {
    return this.transport.call({ name: "getJob", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}`, query }, options) as Promise<Job>;
  }

  /**
   * Cancel a job
   *
   * A running job loses its lease immediately. Cancelling the job of an execution cancels the execution.
   *
   * Action `jobs.cancel`: requires role `admin`, `operator` or `client`.
   */
  cancelJob(id: string, options: CallOptions = {}): Promise<JobChange> {
    return this.transport.call({ name: "cancelJob", method: "POST", path: `/v1/jobs/${encodeURIComponent(id)}/cancel`, keyed: true }, options) as Promise<JobChange>;
  }

  /**
   * Get the data of a job
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getJobData(id: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getJobData", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}/data` }, options) as Promise<Json>;
  }

  /**
   * List the log lines of a job
   *
   * Returns the lines of all attempts in order. Log lines are deleted after `retention.logs`, regardless of the job.
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listJobLogs(id: string, query: { attempt?: number | undefined; level?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<StoredLogLine>> {
    return this.transport.call({ name: "listJobLogs", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}/logs`, query }, options) as Promise<Page<StoredLogLine>>;
  }

  /**
   * Change the priority of a waiting job
   *
   * Action `jobs.reprioritize`: requires role `admin`, `operator` or `client`.
   */
  reprioritizeJob(id: string, body: ReprioritizeRequest, options: CallOptions = {}): Promise<JobChange> {
    return this.transport.call({ name: "reprioritizeJob", method: "POST", path: `/v1/jobs/${encodeURIComponent(id)}/reprioritize`, body, keyed: true }, options) as Promise<JobChange>;
  }

  /**
   * Get the result of a job
   *
   * `null` until it completes.
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getJobResult(id: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getJobResult", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}/result` }, options) as Promise<Json>;
  }

  /**
   * Make a job due now
   *
   * A job that waits for its due time or its next retry becomes due immediately.
   *
   * Action `jobs.retry`: requires role `admin`, `operator` or `client`.
   */
  retryJob(id: string, options: CallOptions = {}): Promise<JobChange> {
    return this.transport.call({ name: "retryJob", method: "POST", path: `/v1/jobs/${encodeURIComponent(id)}/retry`, keyed: true }, options) as Promise<JobChange>;
  }

  /**
   * Explain why a job is not running
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  whyJob(id: string, options: CallOptions = {}): Promise<Why> {
    return this.transport.call({ name: "whyJob", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}/why` }, options) as Promise<Why>;
  }

  /**
   * Show the limits of the queues
   *
   * Includes the values set for individual tenants, workflows and job types.
   *
   * Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getLimits(options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getLimits", method: "GET", path: "/v1/limits" }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Change the limits of the queues
   *
   * The limits apply to every claim that starts after the response.
   *
   * Action `limits.set`: requires role `admin` or `operator`.
   */
  setLimits(body: Record<string, LimitChanges>, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setLimits", method: "PUT", path: "/v1/limits", body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Show the caller, its rights, and the server
   *
   * `can` lists the actions that the role and scopes allow on at least one object; scopes may restrict an action to
   * certain names. For sessions of a read-only console, it lists only actions that change nothing.
   *
   * Any valid API key may make this call.
   */
  readMe(options: CallOptions = {}): Promise<Me> {
    return this.transport.call({ name: "readMe", method: "GET", path: "/v1/me" }, options) as Promise<Me>;
  }

  /**
   * Move the store to another database
   *
   * Copies the SQLite database of the server to an empty PostgreSQL database and continues on it. The server accepts and
   * runs work during the copy, and pauses only while the last changes are copied; calls then get 503 with `Retry-After`.
   * Until then the old database is in use; afterwards it is read-only. Requires a key that is not bound to a tenant.
   * Servers on PostgreSQL return 409 `move_unsupported`.
   *
   * Action `moves.start`: requires role `admin`.
   */
  startMove(body: MoveRequest, options: CallOptions = {}): Promise<Move> {
    return this.transport.call({ name: "startMove", method: "POST", path: "/v1/moves", body, keyed: true }, options) as Promise<Move>;
  }

  /**
   * Get the last move
   *
   * Returns the move that was last requested from this process, finished or not. Requires a key that is not bound to a
   * tenant.
   *
   * Action `moves.read`: requires role `admin`.
   */
  lastMove(options: CallOptions = {}): Promise<Move> {
    return this.transport.call({ name: "lastMove", method: "GET", path: "/v1/moves/last" }, options) as Promise<Move>;
  }

  /**
   * Abort the move
   *
   * The server keeps its database, and the target can be used for another move. Errors: 409 `move_finishing` while the
   * last changes are copied, 409 `move_not_running` if no move is in progress. Requires a key that is not bound to a
   * tenant.
   *
   * Action `moves.start`: requires role `admin`.
   */
  abortMove(options: CallOptions = {}): Promise<Move> {
    return this.transport.call({ name: "abortMove", method: "POST", path: "/v1/moves/last/abort", keyed: true }, options) as Promise<Move>;
  }

  /**
   * List queues with their statistics
   *
   * Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listQueues(options: CallOptions = {}): Promise<Page<Queue>> {
    return this.transport.call({ name: "listQueues", method: "GET", path: "/v1/queues" }, options) as Promise<Page<Queue>>;
  }

  /**
   * Show a queue with its statistics
   *
   * Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getQueue(queue: string, options: CallOptions = {}): Promise<Queue> {
    return this.transport.call({ name: "getQueue", method: "GET", path: `/v1/queues/${encodeURIComponent(queue)}` }, options) as Promise<Queue>;
  }

  /**
   * Drain a queue
   *
   * Finishes queued jobs and rejects new ones from callers until the queue is resumed.
   *
   * Action `queues.operate`: requires role `admin` or `operator`.
   */
  drainQueue(queue: string, options: CallOptions = {}): Promise<QueueMode> {
    return this.transport.call({ name: "drainQueue", method: "POST", path: `/v1/queues/${encodeURIComponent(queue)}/drain`, keyed: true }, options) as Promise<QueueMode>;
  }

  /**
   * Pause a queue
   *
   * No jobs start until the queue is resumed. New jobs are accepted.
   *
   * Action `queues.operate`: requires role `admin` or `operator`.
   */
  pauseQueue(queue: string, options: CallOptions = {}): Promise<QueueMode> {
    return this.transport.call({ name: "pauseQueue", method: "POST", path: `/v1/queues/${encodeURIComponent(queue)}/pause`, keyed: true }, options) as Promise<QueueMode>;
  }

  /**
   * Resume a queue
   *
   * Action `queues.operate`: requires role `admin` or `operator`.
   */
  resumeQueue(queue: string, options: CallOptions = {}): Promise<QueueMode> {
    return this.transport.call({ name: "resumeQueue", method: "POST", path: `/v1/queues/${encodeURIComponent(queue)}/resume`, keyed: true }, options) as Promise<QueueMode>;
  }

  /**
   * Show how many workers a queue could use
   *
   * For autoscalers: `desired` is the number of slots that could be busy now. Jobs held back by a limit or a pause do
   * not count. All nodes return the same figures, read from the database and at most one second old.
   *
   * Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  queueScaling(queue: string, query: { jobType?: string | undefined; tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<QueueScaling> {
    return this.transport.call({ name: "queueScaling", method: "GET", path: `/v1/queues/${encodeURIComponent(queue)}/scaling`, query }, options) as Promise<QueueScaling>;
  }

  /**
   * List the rates of rate keys
   *
   * Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listRates(query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<KeyRates> {
    return this.transport.call({ name: "listRates", method: "GET", path: "/v1/rates", query }, options) as Promise<KeyRates>;
  }

  /**
   * Set the rate of a rate key
   *
   * From the next claim on, the rate applies to starts of jobs with this `rateKey`. A key that ends in `*` is a prefix:
   * the rate applies to each matching key separately, and the longest match wins.
   *
   * Action `limits.set`: requires role `admin` or `operator`.
   */
  setRate(key: string, body: KeyRateRequest, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<KeyRate> {
    return this.transport.call({ name: "setRate", method: "PUT", path: `/v1/rates/${encodeURIComponent(key)}`, query, body, keyed: true }, options) as Promise<KeyRate>;
  }

  /**
   * Delete the rate of a rate key
   *
   * From the next claim on, it no longer limits jobs with this `rateKey`.
   *
   * Action `limits.set`: requires role `admin` or `operator`.
   */
  deleteRate(key: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteRate", method: "DELETE", path: `/v1/rates/${encodeURIComponent(key)}`, query, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Show the retention
   *
   * Applies to tenants without their own times. `effective` shows the times that apply: times set here are rounded up to
   * 1, 6 or 12 hours, 1, 2, 3, 7, 14, 30, 60, 90 or 180 days, or 1, 2 or 10 years.
   *
   * Action `retention.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getRetention(options: CallOptions = {}): Promise<Retention> {
    return this.transport.call({ name: "getRetention", method: "GET", path: "/v1/retention" }, options) as Promise<Retention>;
  }

  /**
   * Change the retention
   *
   * Absent fields keep their value; null restores the value from the settings. Requires role `admin` and a key that is
   * not bound to a tenant.
   *
   * Action `retention.set`: requires role `admin`.
   */
  setRetention(body: RetentionRequest, options: CallOptions = {}): Promise<Retention> {
    return this.transport.call({ name: "setRetention", method: "PUT", path: "/v1/retention", body, keyed: true }, options) as Promise<Retention>;
  }

  /**
   * List schedules, newest first
   *
   * Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listSchedules(query: { workflow?: string | undefined; tenant?: string | undefined; paused?: string | undefined; createdAfter?: string | undefined; createdBefore?: string | undefined; nextRunAfter?: string | undefined; nextRunBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Schedule>> {
    return this.transport.call({ name: "listSchedules", method: "GET", path: "/v1/schedules", query }, options) as Promise<Page<Schedule>>;
  }

  /**
   * Create a schedule
   *
   * The schedule fires from now on. An invalid expression is reported at `/cron`, with the expected format.
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  createSchedule(body: ScheduleRequest, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "createSchedule", method: "POST", path: "/v1/schedules", body, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Pause many schedules
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  pauseSchedules(body: BulkOperationRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "pauseSchedules", method: "POST", path: "/v1/schedules/pause", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Preview a cron expression or an interval
   *
   * Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  previewCron(body: PreviewRequest, options: CallOptions = {}): Promise<Preview> {
    return this.transport.call({ name: "previewCron", method: "POST", path: "/v1/schedules/preview", body, keyed: true }, options) as Promise<Preview>;
  }

  /**
   * Resume many schedules
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  resumeSchedules(body: BulkOperationRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "resumeSchedules", method: "POST", path: "/v1/schedules/resume", body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Show a schedule
   *
   * Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getSchedule(id: string, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "getSchedule", method: "GET", path: `/v1/schedules/${encodeURIComponent(id)}` }, options) as Promise<Schedule>;
  }

  /**
   * Replace a schedule
   *
   * ID and history are kept. Past fires do not run, and a waiting fire is skipped.
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  replaceSchedule(id: string, body: ScheduleRequest, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "replaceSchedule", method: "PUT", path: `/v1/schedules/${encodeURIComponent(id)}`, body, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Delete a schedule and its history
   *
   * Its executions are kept.
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  deleteSchedule(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteSchedule", method: "DELETE", path: `/v1/schedules/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Backfill a past time range
   *
   * Starts an execution for each fire time in the range that is not in the history yet.
   *
   * Action `schedules.run`: requires role `admin` or `operator`.
   */
  backfillSchedule(id: string, body: BackfillRequest, options: CallOptions = {}): Promise<Backfill> {
    return this.transport.call({ name: "backfillSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/backfill`, body, keyed: true }, options) as Promise<Backfill>;
  }

  /**
   * Pause a schedule
   *
   * Fire times that pass while it is paused never run, and a waiting fire is skipped. Running executions continue.
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  pauseSchedule(id: string, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "pauseSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/pause`, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Preview a schedule
   *
   * Respects the bounds of the schedule; a paused one is previewed as if it were resumed now.
   *
   * Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  previewSchedule(id: string, query: { count?: number | undefined } = {}, options: CallOptions = {}): Promise<Preview> {
    return this.transport.call({ name: "previewSchedule", method: "GET", path: `/v1/schedules/${encodeURIComponent(id)}/preview`, query }, options) as Promise<Preview>;
  }

  /**
   * Resume a schedule
   *
   * The schedule fires from now on.
   *
   * Action `schedules.write`: requires role `admin` or `operator`.
   */
  resumeSchedule(id: string, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "resumeSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/resume`, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Start an execution of a schedule now
   *
   * Ignores the overlap policy, and works while the schedule is paused.
   *
   * Action `schedules.run`: requires role `admin` or `operator`.
   */
  runSchedule(id: string, options: CallOptions = {}): Promise<ManualRun> {
    return this.transport.call({ name: "runSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/run`, keyed: true }, options) as Promise<ManualRun>;
  }

  /**
   * List the fires of a schedule and their outcomes, latest first
   *
   * Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listScheduleRuns(id: string, query: { status?: string | undefined; reason?: string | undefined; skipReason?: string | undefined; executionId?: string | undefined; scheduledAfter?: string | undefined; scheduledBefore?: string | undefined; firedAfter?: string | undefined; firedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<ScheduleRun>> {
    return this.transport.call({ name: "listScheduleRuns", method: "GET", path: `/v1/schedules/${encodeURIComponent(id)}/runs`, query }, options) as Promise<Page<ScheduleRun>>;
  }

  /**
   * Complete a query
   *
   * Suggests keys, keywords, instants, and values of the last 7 days: workflows, job types, tenants, tags, workers,
   * event types, fingerprints.
   *
   * Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  suggest(query: { list?: string | undefined; q?: string | undefined; at?: number | undefined; limit?: number | undefined } = {}, options: CallOptions = {}): Promise<Suggestions> {
    return this.transport.call({ name: "suggest", method: "GET", path: "/v1/search/suggest", query }, options) as Promise<Suggestions>;
  }

  /**
   * List the processes of the deployment
   *
   * Lists processes seen within the last minute, in the order in which they started. Requires a key that is not bound to
   * a tenant.
   *
   * Action `servers.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listServers(options: CallOptions = {}): Promise<Page<Server>> {
    return this.transport.call({ name: "listServers", method: "GET", path: "/v1/servers" }, options) as Promise<Page<Server>>;
  }

  /**
   * Show the current caller
   *
   * Role and tenant of the caller; for a session also its CSRF token and expiry.
   *
   * Any valid API key may make this call.
   */
  readSession(options: CallOptions = {}): Promise<Session> {
    return this.transport.call({ name: "readSession", method: "GET", path: "/v1/session" }, options) as Promise<Session>;
  }

  /**
   * Sign in to the console
   *
   * Creates a session for the API key of this request. The response sets an `HttpOnly`, `SameSite=Strict` cookie that
   * authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
   * that modify data must also send the `csrfToken` of the response in the header `X-CSRF-Token`.
   *
   * Any valid API key may make this call.
   */
  createSession(options: CallOptions = {}): Promise<Session> {
    return this.transport.call({ name: "createSession", method: "POST", path: "/v1/session" }, options) as Promise<Session>;
  }

  /**
   * Sign out
   *
   * Removes the session cookie. A copied cookie stays valid until it expires or its key is revoked.
   *
   * Any valid API key may make this call.
   */
  deleteSession(options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteSession", method: "DELETE", path: "/v1/session" }, options) as Promise<undefined>;
  }

  /**
   * Show queue figures over time
   *
   * Returns throughput, failures, backlog, and percentiles of wait, run and end-to-end times, by minute or hour. Figures are at
   * most 15 seconds behind. Returns up to 1,500 points.
   *
   * Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getStats(query: { queue?: string | undefined; priority?: string | undefined; tenant?: string | undefined; workflow?: string | undefined; from?: string | undefined; to?: string | undefined; step?: string | undefined } = {}, options: CallOptions = {}): Promise<Stats> {
    return this.transport.call({ name: "getStats", method: "GET", path: "/v1/stats", query }, options) as Promise<Stats>;
  }

  /**
   * List tenants by name
   *
   * Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listTenants(query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Tenant>> {
    return this.transport.call({ name: "listTenants", method: "GET", path: "/v1/tenants", query }, options) as Promise<Page<Tenant>>;
  }

  /**
   * Create a tenant
   *
   * A tenant is also created when a key that is not bound to a tenant first uses it.
   *
   * Action `tenants.create`: requires role `admin`.
   */
  createTenant(body: TenantRequest, options: CallOptions = {}): Promise<Tenant> {
    return this.transport.call({ name: "createTenant", method: "POST", path: "/v1/tenants", body, keyed: true }, options) as Promise<Tenant>;
  }

  /**
   * Show the searchable attributes of a tenant
   *
   * Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getTenantAttributes(tenant: string, options: CallOptions = {}): Promise<Record<string, Attribute>> {
    return this.transport.call({ name: "getTenantAttributes", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/attributes` }, options) as Promise<Record<string, Attribute>>;
  }

  /**
   * Declare searchable attributes of a tenant
   *
   * Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs and executions
   * created from now on.
   *
   * Action `attributes.declare`: requires role `admin` or `operator`.
   */
  setTenantAttributes(tenant: string, body: Record<string, AttributeDeclaration>, options: CallOptions = {}): Promise<Record<string, Attribute>> {
    return this.transport.call({ name: "setTenantAttributes", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/attributes`, body, keyed: true }, options) as Promise<Record<string, Attribute>>;
  }

  /**
   * Show the encryption of a tenant
   *
   * Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getTenantEncryption(tenant: string, options: CallOptions = {}): Promise<TenantEncryption> {
    return this.transport.call({ name: "getTenantEncryption", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/encryption` }, options) as Promise<TenantEncryption>;
  }

  /**
   * Enable or disable the encryption of a tenant
   *
   * Applies to payloads that are stored afterwards; other processes follow within a few seconds. Requires `secrets.keys`
   * in the settings of all processes. Requires role `admin` and a key that is not bound to a tenant.
   *
   * Action `tenants.encrypt`: requires role `admin`.
   */
  setTenantEncryption(tenant: string, body: EncryptionRequest, options: CallOptions = {}): Promise<TenantEncryption> {
    return this.transport.call({ name: "setTenantEncryption", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/encryption`, body, keyed: true }, options) as Promise<TenantEncryption>;
  }

  /**
   * Rotate the key of a tenant
   *
   * New payloads are encrypted with a new key. Earlier keys are kept to decrypt existing payloads. Requires role `admin`
   * and a key that is not bound to a tenant.
   *
   * Action `tenants.encrypt`: requires role `admin`.
   */
  rotateTenantEncryption(tenant: string, options: CallOptions = {}): Promise<TenantEncryption> {
    return this.transport.call({ name: "rotateTenantEncryption", method: "POST", path: `/v1/tenants/${encodeURIComponent(tenant)}/encryption/rotate`, keyed: true }, options) as Promise<TenantEncryption>;
  }

  /**
   * Erase a tenant
   *
   * Removes its jobs, executions, payloads, dead letters, deliveries, logs, schedules, endpoints, triggers, workflows, keys,
   * secrets and settings in the background; audit log entries stay. From now on its keys are invalid and new work is
   * rejected with 409 `tenant_erasing`, until the bulk operation is completed (after ten seconds at the earliest);
   * `done` counts removed rows. 409 `tenant_in_use` if jobs or executions are open and `cancelOpen` is not set. Requires
   * role `admin` and a key that is not bound to a tenant.
   *
   * Action `tenants.erase`: requires role `admin`.
   */
  eraseTenant(tenant: string, body: TenantErasure, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "eraseTenant", method: "POST", path: `/v1/tenants/${encodeURIComponent(tenant)}/erase`, body, keyed: true }, options) as Promise<Batch>;
  }

  /**
   * Show the limits of a tenant
   *
   * Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getTenantLimits(tenant: string, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getTenantLimits", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/limits` }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Change the limits of a tenant
   *
   * Action `limits.set`: requires role `admin` or `operator`.
   */
  setTenantLimits(tenant: string, body: Record<string, LimitChanges>, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setTenantLimits", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/limits`, body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Show the quotas of a tenant
   *
   * Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getQuotas(tenant: string, options: CallOptions = {}): Promise<TenantQuotas> {
    return this.transport.call({ name: "getQuotas", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/quotas` }, options) as Promise<TenantQuotas>;
  }

  /**
   * Change quotas of a tenant
   *
   * Absent fields keep their value, null restores the default, and `"unlimited"` removes the limit. Other processes
   * apply the change within a few seconds. Requires role `admin` and a key that is not bound to a tenant.
   *
   * Action `tenants.quota`: requires role `admin`.
   */
  setQuotas(tenant: string, body: TenantQuotasRequest, options: CallOptions = {}): Promise<TenantQuotas> {
    return this.transport.call({ name: "setQuotas", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/quotas`, body, keyed: true }, options) as Promise<TenantQuotas>;
  }

  /**
   * Show the retention of a tenant
   *
   * Action `retention.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getTenantRetention(tenant: string, options: CallOptions = {}): Promise<Retention> {
    return this.transport.call({ name: "getTenantRetention", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/retention` }, options) as Promise<Retention>;
  }

  /**
   * Change the retention of a tenant
   *
   * Absent fields keep their value; null restores the value for all tenants. `audit` and `alerts` cannot be set for one
   * tenant. Requires role `admin` and a key that is not bound to a tenant.
   *
   * Action `retention.set`: requires role `admin`.
   */
  setTenantRetention(tenant: string, body: RetentionRequest, options: CallOptions = {}): Promise<Retention> {
    return this.transport.call({ name: "setTenantRetention", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/retention`, body, keyed: true }, options) as Promise<Retention>;
  }

  /**
   * List the secrets of a tenant by name
   *
   * Values are never shown.
   *
   * Action `secrets.read`: requires role `admin` or `operator`.
   */
  listSecrets(tenant: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Secret>> {
    return this.transport.call({ name: "listSecrets", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/secrets`, query }, options) as Promise<Page<Secret>>;
  }

  /**
   * Store a secret
   *
   * Replaces a secret of the same name; later requests use the new value. Workflows reference it as `${secrets.name}` in
   * the request headers of an `HTTP` node. It is sent only to its allowed hosts, and never appears in jobs, history,
   * errors or lists.
   *
   * Action `secrets.write`: requires role `admin` or `operator`.
   */
  putSecret(tenant: string, name: string, body: SecretRequest, options: CallOptions = {}): Promise<Secret> {
    return this.transport.call({ name: "putSecret", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/secrets/${encodeURIComponent(name)}`, body, keyed: true }, options) as Promise<Secret>;
  }

  /**
   * Delete a secret
   *
   * Later requests that reference it fail.
   *
   * Action `secrets.write`: requires role `admin` or `operator`.
   */
  deleteSecret(tenant: string, name: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteSecret", method: "DELETE", path: `/v1/tenants/${encodeURIComponent(tenant)}/secrets/${encodeURIComponent(name)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Show the usage of a tenant
   *
   * Counted at request time. Requests beyond a quota get 429 `quota_exceeded`; work created by running executions is
   * never rejected.
   *
   * Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getUsage(tenant: string, options: CallOptions = {}): Promise<TenantUsage> {
    return this.transport.call({ name: "getUsage", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/usage` }, options) as Promise<TenantUsage>;
  }

  /**
   * List triggers of events, newest first
   *
   * Action `triggers.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listTriggers(query: { tenant?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<EventTrigger>> {
    return this.transport.call({ name: "listTriggers", method: "GET", path: "/v1/triggers", query }, options) as Promise<Page<EventTrigger>>;
  }

  /**
   * Create a trigger
   *
   * From now on, matching events start executions of its workflow.
   *
   * Action `triggers.write`: requires role `admin` or `operator`.
   */
  createTrigger(body: EventTriggerRequest, options: CallOptions = {}): Promise<EventTrigger> {
    return this.transport.call({ name: "createTrigger", method: "POST", path: "/v1/triggers", body, keyed: true }, options) as Promise<EventTrigger>;
  }

  /**
   * Show a trigger
   *
   * Action `triggers.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getTrigger(id: string, options: CallOptions = {}): Promise<EventTrigger> {
    return this.transport.call({ name: "getTrigger", method: "GET", path: `/v1/triggers/${encodeURIComponent(id)}` }, options) as Promise<EventTrigger>;
  }

  /**
   * Replace a trigger
   *
   * ID and tenant are kept.
   *
   * Action `triggers.write`: requires role `admin` or `operator`.
   */
  replaceTrigger(id: string, body: EventTriggerRequest, options: CallOptions = {}): Promise<EventTrigger> {
    return this.transport.call({ name: "replaceTrigger", method: "PUT", path: `/v1/triggers/${encodeURIComponent(id)}`, body, keyed: true }, options) as Promise<EventTrigger>;
  }

  /**
   * Delete a trigger
   *
   * Later events no longer start executions through it. Existing executions are kept.
   *
   * Action `triggers.write`: requires role `admin` or `operator`.
   */
  deleteTrigger(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteTrigger", method: "DELETE", path: `/v1/triggers/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * List user tasks, newest first
   *
   * Lists open tasks if `status` is absent.
   *
   * Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listUserTasks(query: { status?: string | undefined; group?: string | undefined; assignee?: string | undefined; workflow?: string | undefined; tenant?: string | undefined; execution?: string | undefined; openedAfter?: string | undefined; openedBefore?: string | undefined; dueAfter?: string | undefined; dueBefore?: string | undefined; closedAfter?: string | undefined; closedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<UserTask>> {
    return this.transport.call({ name: "listUserTasks", method: "GET", path: "/v1/user-tasks", query }, options) as Promise<Page<UserTask>>;
  }

  /**
   * Show the latest user task of a node
   *
   * Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getUserTask(executionId: string, nodeId: string, query: { maxPayload?: number | undefined } = {}, options: CallOptions = {}): Promise<UserTask> {
    return this.transport.call({ name: "getUserTask", method: "GET", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}`, query }, options) as Promise<UserTask>;
  }

  /**
   * Claim a user task
   *
   * Prevents others of its group from completing it until it is released or reassigned.
   *
   * Action `userTasks.claim`: requires role `admin`, `operator` or `client`.
   */
  claimUserTask(executionId: string, nodeId: string, body: UserTaskRound, options: CallOptions = {}): Promise<UserTask> {
    return this.transport.call({ name: "claimUserTask", method: "POST", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}/claim`, body, keyed: true }, options) as Promise<UserTask>;
  }

  /**
   * Get the input of the latest user task of a node
   *
   * Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getUserTaskInput(executionId: string, nodeId: string, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "getUserTaskInput", method: "GET", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}/input` }, options) as Promise<Json>;
  }

  /**
   * Release a user task
   *
   * Releases the caller's own claim; an operator can release any claim.
   *
   * Action `userTasks.claim`: requires role `admin`, `operator` or `client`.
   */
  releaseUserTask(executionId: string, nodeId: string, body: UserTaskRound, options: CallOptions = {}): Promise<UserTask> {
    return this.transport.call({ name: "releaseUserTask", method: "POST", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}/release`, body, keyed: true }, options) as Promise<UserTask>;
  }

  /**
   * List saved views, newest first
   *
   * Returns the caller's own views and the views that others share.
   *
   * Action `views.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listViews(query: { list?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<View>> {
    return this.transport.call({ name: "listViews", method: "GET", path: "/v1/views", query }, options) as Promise<Page<View>>;
  }

  /**
   * Save a view
   *
   * At most 100 views per API key or person.
   *
   * Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  addView(body: ViewRequest, options: CallOptions = {}): Promise<View> {
    return this.transport.call({ name: "addView", method: "POST", path: "/v1/views", body, keyed: true }, options) as Promise<View>;
  }

  /**
   * Show a saved view
   *
   * Action `views.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getView(id: string, options: CallOptions = {}): Promise<View> {
    return this.transport.call({ name: "getView", method: "GET", path: `/v1/views/${encodeURIComponent(id)}` }, options) as Promise<View>;
  }

  /**
   * Change a saved view
   *
   * Operators can also change views that others share.
   *
   * Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  changeView(id: string, body: ViewRequest, options: CallOptions = {}): Promise<View> {
    return this.transport.call({ name: "changeView", method: "PUT", path: `/v1/views/${encodeURIComponent(id)}`, body, keyed: true }, options) as Promise<View>;
  }

  /**
   * Delete a saved view
   *
   * Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  deleteView(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteView", method: "DELETE", path: `/v1/views/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * List webhook endpoints, newest first
   *
   * Action `webhooks.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listWebhooks(query: { tenant?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Webhook>> {
    return this.transport.call({ name: "listWebhooks", method: "GET", path: "/v1/webhooks", query }, options) as Promise<Page<Webhook>>;
  }

  /**
   * Create a webhook endpoint
   *
   * It accepts deliveries immediately. A generated secret is shown only in this response.
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  createWebhook(body: WebhookRequest, options: CallOptions = {}): Promise<SavedWebhook> {
    return this.transport.call({ name: "createWebhook", method: "POST", path: "/v1/webhooks", body, keyed: true }, options) as Promise<SavedWebhook>;
  }

  /**
   * Show a webhook endpoint
   *
   * Action `webhooks.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getWebhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.call({ name: "getWebhook", method: "GET", path: `/v1/webhooks/${encodeURIComponent(id)}` }, options) as Promise<Webhook>;
  }

  /**
   * Replace a webhook endpoint
   *
   * ID, URL and deliveries are kept. Secrets are kept unless new ones are given, which replace them immediately;
   * use `rotate-secret` for an overlap.
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  replaceWebhook(id: string, body: WebhookRequest, options: CallOptions = {}): Promise<SavedWebhook> {
    return this.transport.call({ name: "replaceWebhook", method: "PUT", path: `/v1/webhooks/${encodeURIComponent(id)}`, body, keyed: true }, options) as Promise<SavedWebhook>;
  }

  /**
   * Delete a webhook endpoint and its secrets
   *
   * Senders then get 404. Its deliveries are kept until their retention ends.
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  deleteWebhook(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteWebhook", method: "DELETE", path: `/v1/webhooks/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * List the deliveries of a webhook endpoint, newest first
   *
   * Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listWebhookDeliveries(id: string, query: { source?: string | undefined; webhookId?: string | undefined; tenant?: string | undefined; status?: string | undefined; eventType?: string | undefined; reason?: string | undefined; remoteAddress?: string | undefined; executionId?: string | undefined; receivedAfter?: string | undefined; receivedBefore?: string | undefined; processedAfter?: string | undefined; processedBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Delivery>> {
    return this.transport.call({ name: "listWebhookDeliveries", method: "GET", path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries`, query }, options) as Promise<Page<Delivery>>;
  }

  /**
   * Pause a webhook endpoint
   *
   * Deliveries are stored and held until the endpoint is resumed; beyond a server limit they get 429 with Retry-After.
   * Handshakes are still answered.
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  pauseWebhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.call({ name: "pauseWebhook", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/pause`, keyed: true }, options) as Promise<Webhook>;
  }

  /**
   * Resume a webhook endpoint
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  resumeWebhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.call({ name: "resumeWebhook", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/resume`, keyed: true }, options) as Promise<Webhook>;
  }

  /**
   * Rotate the secret of a webhook endpoint
   *
   * Old and new secrets are both valid during the overlap; configure the new one at the provider in that time. A
   * generated secret is shown only in this response.
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  rotateSecret(id: string, body: RotateSecretRequest, options: CallOptions = {}): Promise<RotatedSecret> {
    return this.transport.call({ name: "rotateSecret", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/rotate-secret`, body, keyed: true }, options) as Promise<RotatedSecret>;
  }

  /**
   * Send a signed test delivery to a webhook endpoint
   *
   * The delivery is processed like any other: verified, stored and matched, and its triggers start workflows. Errors:
   * 409 `webhook_paused` if the endpoint is paused, 409 `cannot_sign` if the provider signs with a private key, 409
   * `webhook_secret_missing` if there is no secret.
   *
   * Action `webhooks.write`: requires role `admin` or `operator`.
   */
  testWebhook(id: string, options: CallOptions = {}): Promise<TestedWebhook> {
    return this.transport.call({ name: "testWebhook", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/test`, keyed: true }, options) as Promise<TestedWebhook>;
  }

  /**
   * List workers, most recently seen first
   *
   * Without a range of `lastSeen` or `firstSeen`, lists workers seen in the last ten minutes.
   *
   * Action `workers.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listWorkers(query: { tenant?: string | undefined; kind?: string | undefined; jobType?: string | undefined; lastSeenAfter?: string | undefined; lastSeenBefore?: string | undefined; firstSeenAfter?: string | undefined; firstSeenBefore?: string | undefined; from?: string | undefined; to?: string | undefined; q?: string | undefined; sort?: string | undefined; order?: string | undefined; count?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Worker>> {
    return this.transport.call({ name: "listWorkers", method: "GET", path: "/v1/workers", query }, options) as Promise<Page<Worker>>;
  }

  /**
   * Drain a worker
   *
   * Until the worker is gone, its polls return no jobs but `drain`, and its stream ends. Jobs that it already has are
   * not affected. A worker that appears under the same ID after a minute of inactivity is not drained.
   *
   * Action `workers.drain`: requires role `admin` or `operator`.
   */
  drainWorker(id: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "drainWorker", method: "POST", path: `/v1/workers/${encodeURIComponent(id)}/drain`, query, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * List the latest version of each workflow, by name
   *
   * Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listWorkflows(query: { limit?: number | undefined; cursor?: string | undefined; tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Workflow>> {
    return this.transport.call({ name: "listWorkflows", method: "GET", path: "/v1/workflows", query }, options) as Promise<Page<Workflow>>;
  }

  /**
   * Register a version of a workflow
   *
   * Versions are immutable: the same content again returns 200, different content under the same version returns 409.
   *
   * Action `workflows.register`: requires role `admin` or `operator`.
   */
  registerWorkflow(body: Json, query: { validate?: boolean | undefined } = {}, options: CallOptions = {}): Promise<RegisteredWorkflow> {
    return this.transport.call({ name: "registerWorkflow", method: "POST", path: "/v1/workflows", query, body, keyed: true }, options) as Promise<RegisteredWorkflow>;
  }

  /**
   * Simulate a workflow
   *
   * Runs a definition with the results that you give in place of handlers, people and other systems. Nothing is stored,
   * no job is created, and the clock jumps to the next timer. At a node without a result, the run ends and reports what
   * it waits for.
   *
   * Action `workflows.simulate`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  simulateWorkflow(body: SimulationRequest, options: CallOptions = {}): Promise<Simulation> {
    return this.transport.call({ name: "simulateWorkflow", method: "POST", path: "/v1/workflows/simulate", body, keyed: true }, options) as Promise<Simulation>;
  }

  /**
   * Show the latest version of a workflow
   *
   * Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getWorkflow(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Workflow> {
    return this.transport.call({ name: "getWorkflow", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}`, query }, options) as Promise<Workflow>;
  }

  /**
   * Show the searchable attributes of a workflow
   *
   * Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getWorkflowAttributes(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, Attribute>> {
    return this.transport.call({ name: "getWorkflowAttributes", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/attributes`, query }, options) as Promise<Record<string, Attribute>>;
  }

  /**
   * Declare searchable attributes of a workflow
   *
   * Attributes that are absent from the request are kept; null removes an attribute. Applies to executions created from
   * now on and to their jobs.
   *
   * Action `attributes.declare`: requires role `admin` or `operator`.
   */
  setWorkflowAttributes(name: string, body: Record<string, AttributeDeclaration>, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, Attribute>> {
    return this.transport.call({ name: "setWorkflowAttributes", method: "PUT", path: `/v1/workflows/${encodeURIComponent(name)}/attributes`, query, body, keyed: true }, options) as Promise<Record<string, Attribute>>;
  }

  /**
   * Show the limits of a workflow
   *
   * Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getWorkflowLimits(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getWorkflowLimits", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/limits`, query }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Change the limits of a workflow
   *
   * Action `workflows.limit`: requires role `admin` or `operator`.
   */
  setWorkflowLimits(name: string, body: Record<string, LimitChanges>, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setWorkflowLimits", method: "PUT", path: `/v1/workflows/${encodeURIComponent(name)}/limits`, query, body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Pause a workflow
   *
   * Executions stay queued until the workflow is resumed; a running execution continues until it waits or ends. New ones
   * are queued as well, or rejected with 409 `workflow_paused`.
   *
   * Action `workflows.pause`: requires role `admin` or `operator`.
   */
  pauseWorkflow(name: string, body: PauseRequest, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<WorkflowMode> {
    return this.transport.call({ name: "pauseWorkflow", method: "POST", path: `/v1/workflows/${encodeURIComponent(name)}/pause`, query, body, keyed: true }, options) as Promise<WorkflowMode>;
  }

  /**
   * Resume a workflow
   *
   * Action `workflows.pause`: requires role `admin` or `operator`.
   */
  resumeWorkflow(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<WorkflowMode> {
    return this.transport.call({ name: "resumeWorkflow", method: "POST", path: `/v1/workflows/${encodeURIComponent(name)}/resume`, query, keyed: true }, options) as Promise<WorkflowMode>;
  }

  /**
   * List the versions of a workflow, newest first
   *
   * Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  listVersions(name: string, query: { limit?: number | undefined; cursor?: string | undefined; tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Workflow>> {
    return this.transport.call({ name: "listVersions", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/versions`, query }, options) as Promise<Page<Workflow>>;
  }

  /**
   * Show a version of a workflow
   *
   * Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
   */
  getVersion(name: string, version: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Workflow> {
    return this.transport.call({ name: "getVersion", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`, query }, options) as Promise<Workflow>;
  }

  /**
   * Set the source places of a version
   *
   * A source place is the file and line of a node in the program that the version was compiled from. Source places are
   * not part of the definition or its content hash, and can be set again.
   *
   * Action `workflows.register`: requires role `admin` or `operator`.
   */
  putSource(name: string, version: string, body: SourceRequest, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "putSource", method: "PUT", path: `/v1/workflows/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}/source`, body, keyed: true }, options) as Promise<undefined>;
  }
}
