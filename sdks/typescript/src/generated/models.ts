// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
import type { Json } from "../json.js";

/** Part of a list; `nextCursor` is the `cursor` of the next part, null at the end. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}
/** Reports on leased jobs. */
export interface Reports<T> {
  jobs: T[];
}
/** Reports that end attempts, and a poll for the next jobs. */
export interface Settlements<T> {
  jobs: T[];
  poll?: Poll | null;
}
/** Result of each item of a batch, in order. */
export interface BatchResults<T> {
  results: T[];
}

export type AcceptOutcome = "ok" | "taken" | "already_done" | "cancelled" | "lease_lost" | (string & {});

/** A job to accept. */
export interface Acceptance {
  id: string;
  /** Lease token of the message. */
  leaseToken: string;
}

/** Jobs to accept. */
export interface Acceptances {
  /** The received jobs. */
  jobs: Acceptance[];
  /** Worker ID, random per process. */
  workerId: string;
}

/** The outcome of one job. */
export interface AcceptedJob {
  id: string;
  /** Expiry time of the lease unless a heartbeat renews it. Present if the outcome is `ok`. */
  leaseExpiresAt?: string | null;
  /** Lease (fencing) token, required in every report. Keep it secret. Present if the outcome is `ok`. */
  leaseToken?: string | null;
  outcome: AcceptOutcome;
  /** Last progress reported by an earlier attempt. */
  progress?: Json | null;
}

/** The outcomes, in order. */
export interface AcceptedJobs {
  /** One outcome per job. */
  results: AcceptedJob[];
}

/** An alert. At most one is open for each rule and labels, across all nodes. */
export interface Alert {
  firedAt?: string | null;
  id: string;
  /** Labels that identify the affected objects. */
  labels: Record<string, string>;
  resolvedAt?: string | null;
  rule: string;
  severity: AlertSeverity;
  /** ID of the silence that suppresses its notifications. */
  silencedBy?: string | null;
  startedAt: string;
  status: AlertStatus;
  /** One-sentence description of the problem. */
  summary: string;
  /** Threshold; durations in milliseconds. */
  threshold: number;
  /** Last value; durations in milliseconds. */
  value: number;
}

/** A notification about an alert. */
export interface AlertNotification {
  /** The alert; absent for a test. */
  alertId?: string | null;
  createdAt: string;
  /** Why the last attempt failed. */
  error?: string | null;
  id: string;
  /** Time of the next attempt. */
  nextTryAt?: string | null;
  route: string;
  sentAt?: string | null;
  /** `pending`, `sent` or `failed`. */
  status: string;
  /** Number of attempts so far. */
  tries: number;
  /** `alert.firing`, `alert.resolved` or `alert.test`. */
  type: string;
}

/** A route. */
export interface AlertRoute {
  name: string;
  repeatEvery?: string | null;
  /** The generated secret, shown only in this response. */
  secret?: string | null;
  sendResolved: boolean;
  /** Whether notifications are signed. */
  signed: boolean;
  /** Email addresses of the recipients. */
  to?: string[];
  /** `log`, `webhook`, `slack` or `mail`. */
  type: string;
  /** URL of the webhook; only its scheme and host for callers that may not change routes. */
  url?: string | null;
}

/** A route for notifications. */
export interface AlertRouteRequest {
  /** Interval at which a firing alert is sent again. Default: never. */
  repeatEvery?: string | null;
  /** Signing secret as defined by Standard Webhooks, `whsec_…`. If absent, one is generated and shown once. */
  secret?: string | null;
  /** Whether a notification is also sent when an alert is resolved. Default: true. */
  sendResolved?: boolean | null;
  /** Email addresses of the recipients. */
  to?: string[] | null;
  /** `log`, `webhook`, `slack` or `mail`. */
  type: string;
  /** URL of the webhook. */
  url?: string | null;
}

/** A rule. */
export interface AlertRule {
  /** Threshold; the alert fires for values above it. */
  above?: Json;
  /** Threshold; the alert fires for values below it. */
  below?: Json;
  clearAt?: Json;
  enabled: boolean;
  for: string;
  metric: string;
  name: string;
  routes: string[];
  scope: AlertScope;
  severity: AlertSeverity;
  window?: string | null;
}

/** An alert rule. An alert fires when a metric stays above or below a threshold for a given time. */
export interface AlertRuleRequest {
  /**
   * Threshold that the value must exceed: a duration such as `"5m"`, a number, or a fraction from 0 to 1. Required
   * without `below`.
   */
  above?: Json;
  /** Threshold that the value must fall below. Required without `above`. */
  below?: Json;
  /** Value at which the alert is resolved. Default: 80 % of `above`, or 125 % of `below`. */
  clearAt?: Json;
  /** Whether the rule is evaluated. Default: true. */
  enabled?: boolean | null;
  /** How long the value must stay beyond the threshold before the alert fires. Default: 0s. */
  for?: string | null;
  /** Metric, such as `oldest_age`, `depth` or `error_rate`. */
  metric: string;
  /** Names of routes. Default: `log`. */
  routes?: string[] | null;
  /** Objects that the rule is limited to. */
  scope?: AlertScope | null;
  /** `warning` (default) or `critical`. */
  severity?: AlertSeverity | null;
  /** Time window over which fractions, waits and growth are measured, 1m to 1h. Default: 5m. */
  window?: string | null;
}

/** Objects that a rule is limited to. */
export interface AlertScope {
  jobType?: string | null;
  queue?: string | null;
  scheduleId?: string | null;
  tenant?: string | null;
  webhookId?: string | null;
  workflow?: string | null;
}

export type AlertSeverity = "warning" | "critical" | (string & {});

export type AlertStatus = "pending" | "firing" | "resolved" | (string & {});

/** An API key without its secret. */
export interface ApiKey {
  createdAt: string;
  /** Expiry time. */
  expiresAt?: string | null;
  /** Groups that the key belongs to in user tasks. */
  groups?: string[];
  id: string;
  /** When it was last used, accurate to about a minute. */
  lastUsedAt?: string | null;
  name: string;
  /** Allowed client networks and addresses (default: any). */
  networks?: string[];
  /** Whether responses include payloads. */
  payloads: boolean;
  /** User that the key represents in user tasks. */
  person?: string | null;
  /** First characters of the secret, to identify the key. */
  prefix: string;
  /** Expiry time of the previous secret after a rotation. */
  previousUntil?: string | null;
  revokedAt?: string | null;
  role: Role;
  /** When its secret was last changed. */
  rotatedAt?: string | null;
  /** Scopes that restrict the role (default: everything the role allows). */
  scopes?: KeyScope[] | null;
  tenant?: string | null;
}

/** An API key to create. */
export interface ApiKeyRequest {
  /** Expiry time. */
  expiresAt?: string | null;
  /** Groups that the key belongs to in user tasks. */
  groups?: string[];
  /** Display name. */
  name: string;
  /** Allowed client networks and addresses, such as `10.0.0.0/8` (default: any). */
  networks?: string[];
  /**
   * Whether responses include payloads (data, results, inputs, outputs, bodies). Default: false for read-only
   * keys, true for others.
   */
  payloads?: boolean | null;
  /** User that the key represents in user tasks. */
  person?: string | null;
  /** Role. */
  role: Role;
  /** Scopes that restrict the role (default: everything the role allows). */
  scopes?: KeyScope[] | null;
  /** Tenant that the key is bound to (default: none). */
  tenant?: string | null;
}

/** Options of archiving a dead letter. */
export interface ArchiveRequest {
  /** Reason, stored with the dead letter. */
  reason: string;
}

/** One attempt of a job. */
export interface Attempt {
  /** Attempt number, from 1. */
  attemptNumber: number;
  durationMs?: number | null;
  error?: JobError | null;
  finishedAt?: string | null;
  startedAt: string;
  status: AttemptStatus;
  workerId: string;
}

export type AttemptStatus = "PROCESSING" | "COMPLETED" | "FAILED" | "WORKER_LOST" | "TIMED_OUT" | "CANCELLED" | (string & {});

/** A declared attribute. */
export interface Attribute {
  /** Path to the value in a payload. */
  path?: string | null;
  /** When it was declared. Objects created earlier do not have it. */
  since: string;
  /** Where it is declared: `jobType`, `workflow`, `definition` or `tenant`. */
  source: string;
  type: AttributeType;
}

/** An attribute to declare. */
export interface AttributeDeclaration {
  /** Path to the value in a payload: `data` or `result` of jobs, `input` or `output` of executions. */
  path?: string | null;
  /** `text` (at most 256 bytes), `integer`, `number`, `boolean` or `instant`. */
  type: AttributeType;
}

export type AttributeType = "text" | "integer" | "number" | "boolean" | "instant" | (string & {});

/** The first broken link of the hash chain. */
export interface AuditFault {
  /** ID of the entry, if it exists. */
  id?: string | null;
  /** `hash`: changed; `missing`: removed; `order`: does not follow the previous entry; `head`: the end was changed. */
  problem: string;
  /** Number of the entry. */
  seq: number;
}

/** An audit log entry. */
export interface AuditLine {
  /** Action. */
  action: string;
  /** Actor: API key ID, `oidc:` and the subject of a token, `loopback` or `system`. */
  actor: string;
  /** Client address. */
  address?: string | null;
  /** Changed values after the change. */
  after?: Json | null;
  at: string;
  /** Bulk operation. */
  batch?: string | null;
  /** Changed values before the change. */
  before?: Json | null;
  detail?: Json | null;
  /** `rest`, `cli`, `console`, `grpc` or `system`. */
  door?: string | null;
  /** SHA-256, in hexadecimal, of the entry without `hash` as canonical JSON (RFC 8785). */
  hash?: string | null;
  id: string;
  /** `done` or `refused`. */
  outcome?: string | null;
  /** Hash of the previous entry. */
  prevHash?: string | null;
  /** Reason given by the caller, or reason for the refusal. */
  reason?: string | null;
  /** Request ID. */
  requestId?: string | null;
  /** Number in the hash chain, from 1; absent until the entry is sealed. */
  seq?: number | null;
  /** Target of the action. */
  subject: string;
  tenant?: string | null;
  /** User agent of the client. */
  userAgent?: string | null;
}

/** A position in the hash chain. */
export interface AuditLink {
  /** Its hash. */
  hash: string;
  /** Number of the entry; 0 before the first. */
  seq: number;
}

/** The result of a verification. */
export interface AuditVerification {
  /** Last entry that retention has removed. */
  anchor: AuditLink;
  firstBad?: AuditFault | null;
  /** First number of the verified range. */
  from: number;
  /** Last entry of the chain. */
  head: AuditLink;
  /** Last verified entry; the next range starts after it. */
  last: AuditLink;
  /** Whether the verified entries are unchanged. */
  ok: boolean;
  /** Number of verified entries. */
  rows: number;
}

/** The result of a backfill. */
export interface Backfill {
  /** Number of fires that are already in the history. */
  skipped: number;
  /** Number of fires in the range. */
  slots: number;
  /** Number of started executions. */
  started: number;
}

/** A past time range. */
export interface BackfillRequest {
  /** Start of the range, inclusive. */
  from: string;
  /** End of the range, inclusive; not in the future. The range may contain at most 1,000 fires. */
  to: string;
}

/** Backoff between retries: `initial`, `initial × factor`, … up to `max`. */
export interface Backoff {
  /** Multiplier of consecutive delays. */
  factor?: number;
  /** Delay before the first retry. */
  initial?: string;
  /** Whether delays are randomized. */
  jitter?: boolean;
  /** Maximum delay. */
  max?: string;
}

/** A bulk operation. */
export interface Batch {
  /** Who started it. */
  actor: string;
  createdAt: string;
  /** Number of changed objects. */
  done: number;
  /** Number of changed objects whose resulting job, execution or delivery failed. */
  endedBadly: number;
  /** Number of objects that could not be changed. */
  failed: number;
  finishedAt?: string | null;
  id: string;
  /** Kind of operation, such as `dead_letters.requeue`. */
  kind: string;
  /** Number of changed objects whose resulting job, execution or delivery has not ended. */
  pending: number;
  reason?: string | null;
  /** The original request. */
  request: Json;
  /** Number of objects that no longer existed or no longer matched. */
  skipped: number;
  status: BatchStatus;
  /** Reason for the status: `canary`, `operator`, `failure_rate` or `error`. */
  statusReason?: string | null;
  tenant?: string | null;
  /** Number of objects. It grows while the operation is `preparing`. */
  total: number;
  updatedAt: string;
}

/** An object of a bulk operation. */
export interface BatchItem {
  at: string;
  /** Why it was not changed. */
  error?: string | null;
  id: string;
  outcome: BatchItemOutcome;
  /** Job, execution or delivery that the change made or started. */
  resultId?: string | null;
}

export type BatchItemOutcome = "done" | "failed" | "skipped" | (string & {});

/** Starts one execution for several events. */
export interface BatchOfEvents {
  /** Key of the events that belong together, with `${…}` expressions (default: all events of the trigger). */
  key?: string | null;
  /** Number of events after which the execution starts. */
  maxSize: number;
  /** Maximum wait after the first event, up to 30d. */
  timeout: string;
}

/** The result of one item. */
export interface BatchResultCreatedExecution {
  /** Position of the signal, for `GET /v1/commands/{position}`. */
  commandPosition?: number | null;
  /** True if it already exists; absent for a new one. */
  existing?: boolean | null;
  id?: string;
  /** Its job on `workflow-execution`. */
  jobId?: string;
  /** Queue position of the job: lower positions of a lane are processed first. */
  position?: number;
  /** The execution that was cancelled for this one. */
  replaces?: string | null;
  status?: ExecutionStatus;
  /** The error. */
  error?: Problem;
}

/** The result of one item. */
export interface BatchResultEnqueued {
  /** True if an unfinished job with the same unique key already exists; absent for a new job. */
  existing?: boolean | null;
  /** Job ID. */
  id?: string;
  /** Queue position: lower positions of a lane are processed first. */
  position?: number;
  /** Status. */
  status?: JobStatus;
  /** The error. */
  error?: Problem;
}

export type BatchStatus = "preparing" | "running" | "paused" | "completed" | "aborted" | "failed" | (string & {});

/** A job type whose jobs only workers of certain builds receive. */
export interface BuildPin {
  /** The builds whose workers receive its jobs. */
  builds: string[];
  jobType: string;
  /** When the pin was set; for a worker's pin, when that worker started. */
  since: string;
  /** `operator`, or `worker` if a worker set the pin when it started. */
  source: string;
  /** Tenant whose jobs the pin applies to; absent for a pin that applies to all tenants without their own. */
  tenant?: string | null;
}

/** The builds to pin a job type to. */
export interface BuildPinRequest {
  /** Builds, as workers name them in `build`: 1 to 20. */
  builds: string[];
}

/** All pinned job types. */
export interface BuildPins {
  /** The pins, by job type and tenant. */
  items: BuildPin[];
}

/** The objects that a bulk operation changes first, before it pauses. */
export interface BulkCanary {
  /** Number of objects. */
  count: number;
  /**
   * `auto` (default): the operation continues when all of them have an outcome and the failure rate is acceptable.
   * `manual`: it waits until it is resumed.
   */
  proceed?: string | null;
}

/** Executions to cancel. */
export interface BulkCancelRequest {
  /** Confirms an empty filter, which matches everything. */
  all?: boolean;
  /** Canary: objects that are changed first. */
  canary?: BulkCanary | null;
  /** Whether completed nodes are compensated first (default false). */
  compensate?: boolean;
  /** Dry run: only counts the matches and shows up to ten of them. */
  dryRun?: boolean;
  /** Filter. An empty filter requires `all`. */
  filter?: BulkFilter | null;
  /** IDs of the objects, at most 10,000, instead of a filter. */
  ids?: string[] | null;
  /** Maximum number of objects. */
  limit?: number | null;
  /** Maximum number of objects changed per second. */
  ratePerSecond?: number | null;
  /** Reason, at most 500 characters. Kept with the operation and in the audit log. */
  reason?: string | null;
  /** Stops when more than this fraction of the objects failed, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** The result of a dry run. */
export interface BulkCount {
  /** Number of matches. */
  count: number;
  /** Whether `count` is exact. Otherwise it is a lower bound. */
  exact: boolean;
  /** The first ten matches, in the format of their list. */
  samples: Record<string, Json>[];
}

/** Filter of a bulk operation: the query parameters of the list as fields, each a value or a list of values, and `q`. */
export interface BulkFilter {
}

/** Objects to change. */
export interface BulkOperationRequest {
  /** Confirms an empty filter, which matches everything. */
  all?: boolean;
  /** Canary: objects that are changed first. */
  canary?: BulkCanary | null;
  /** Dry run: only counts the matches and shows up to ten of them. */
  dryRun?: boolean;
  /** Filter. An empty filter requires `all`. */
  filter?: BulkFilter | null;
  /** IDs of the objects, at most 10,000, instead of a filter. */
  ids?: string[] | null;
  /** Maximum number of objects. */
  limit?: number | null;
  /** Maximum number of objects changed per second. */
  ratePerSecond?: number | null;
  /** Reason, at most 500 characters. Kept with the operation and in the audit log. */
  reason?: string | null;
  /** Stops when more than this fraction of the objects failed, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** Deliveries to replay. */
export interface BulkReplayRequest {
  /** Confirms an empty filter, which matches everything. */
  all?: boolean;
  /** Whether triggers that have already started a workflow start it again (default false). */
  allTriggers?: boolean;
  /** Canary: objects that are changed first. */
  canary?: BulkCanary | null;
  /** Dry run: only counts the matches and shows up to ten of them. */
  dryRun?: boolean;
  /** Filter. An empty filter requires `all`. */
  filter?: BulkFilter | null;
  /** IDs of the objects, at most 10,000, instead of a filter. */
  ids?: string[] | null;
  /** Maximum number of objects. */
  limit?: number | null;
  /** Maximum number of objects changed per second. */
  ratePerSecond?: number | null;
  /** Reason, at most 500 characters. Kept with the operation and in the audit log. */
  reason?: string | null;
  /** Stops when more than this fraction of the objects failed, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** Jobs to move to another priority. */
export interface BulkReprioritizeRequest {
  /** Confirms an empty filter, which matches everything. */
  all?: boolean;
  /** Canary: objects that are changed first. */
  canary?: BulkCanary | null;
  /** Dry run: only counts the matches and shows up to ten of them. */
  dryRun?: boolean;
  /** Filter. An empty filter requires `all`. */
  filter?: BulkFilter | null;
  /** IDs of the objects, at most 10,000, instead of a filter. */
  ids?: string[] | null;
  /** Maximum number of objects. */
  limit?: number | null;
  /** New priority. Required. */
  priority: Priority;
  /** Maximum number of objects changed per second. */
  ratePerSecond?: number | null;
  /** Reason, at most 500 characters. Kept with the operation and in the audit log. */
  reason?: string | null;
  /** Stops when more than this fraction of the objects failed, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** Dead letters to requeue. */
export interface BulkRequeueRequest {
  /** Confirms an empty filter, which matches everything. */
  all?: boolean;
  /** Canary: objects that are changed first. */
  canary?: BulkCanary | null;
  /** New payload for each job. */
  data?: Json;
  /** Dry run: only counts the matches and shows up to ten of them. */
  dryRun?: boolean;
  /** Filter. An empty filter requires `all`. */
  filter?: BulkFilter | null;
  /** IDs of the objects, at most 10,000, instead of a filter. */
  ids?: string[] | null;
  /** Maximum number of objects. */
  limit?: number | null;
  /** New maximum number of retries for each job. */
  maxRetries?: number | null;
  priority?: Priority | null;
  /** Maximum number of objects changed per second. */
  ratePerSecond?: number | null;
  /** Reason, at most 500 characters. Kept with the operation and in the audit log. */
  reason?: string | null;
  /** Stops when more than this fraction of the objects failed, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** Executions to rerun. */
export interface BulkRerunRequest {
  /** Confirms an empty filter, which matches everything. */
  all?: boolean;
  /** Canary: objects that are changed first. */
  canary?: BulkCanary | null;
  /** Dry run: only counts the matches and shows up to ten of them. */
  dryRun?: boolean;
  /** Filter. An empty filter requires `all`. */
  filter?: BulkFilter | null;
  /** Node from which the new executions run. Required. */
  fromNode: string;
  /** IDs of the objects, at most 10,000, instead of a filter. */
  ids?: string[] | null;
  /** Input of the new executions (default: the input of each original execution). */
  input?: Json;
  /** Maximum number of objects. */
  limit?: number | null;
  /** Maximum number of objects changed per second. */
  ratePerSecond?: number | null;
  /** Reason, at most 500 characters. Kept with the operation and in the audit log. */
  reason?: string | null;
  /** Stops when more than this fraction of the objects failed, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** Options of a cancellation. */
export interface CancelRequest {
  /** Whether completed nodes are compensated first (default false). */
  compensate?: boolean;
  /** Reason, recorded in the timeline. */
  reason?: string | null;
}

/** A change. */
export interface ChangeEvent {
  /** Whether the execution ended. */
  ended?: boolean | null;
  /** The execution that changed. */
  executionId?: string | null;
  /** The job that has new log lines. */
  jobId?: string | null;
  /**
   * `queue`, `execution`, `job.logged`, `alert`, `settings`, or `resync` if changes were missed and all resources must be
   * read again.
   */
  kind: string;
  /** The queue whose jobs or slots changed. */
  queue?: QueueName | null;
}

/** A command to an execution. */
export interface Command {
  executionId: string;
  /** Kind of command, such as `cancel` or `retry`. */
  intent: string;
  position: number;
  /** Reason for refusing the command. */
  reason?: string | null;
  status: CommandStatus;
  /** Step of the execution that applied or refused the command, from 1. */
  step?: number | null;
}

/** A stored command. */
export interface CommandAccepted {
  /** Position of the command; its status is at `/v1/commands/{position}`. */
  commandPosition: number;
}

export type CommandStatus = "pending" | "applied" | "refused" | (string & {});

/** A completed job. */
export interface Completion {
  /** Searchable attributes by name: values of their declared types, or lists of at most 16 values. */
  attributes?: Record<string, Json>;
  id: string;
  leaseToken: string;
  /** Log lines of the attempt so far; at most 100 per call. */
  logs?: LogLine[] | null;
  /** Result of the handler. */
  result?: Json;
}

/** An accepted execution. */
export interface CreatedExecution {
  /** Position of the signal, for `GET /v1/commands/{position}`. */
  commandPosition?: number | null;
  /** True if it already exists; absent for a new one. */
  existing?: boolean | null;
  id: string;
  /** Its job on `workflow-execution`. */
  jobId: string;
  /** Queue position of the job: lower positions of a lane are processed first. */
  position: number;
  /** The execution that was cancelled for this one. */
  replaces?: string | null;
  status: ExecutionStatus;
}

/** A job that failed permanently. */
export interface DeadLetter {
  archiveReason?: string | null;
  /** Number of attempts. */
  attemptCount: number;
  /** Attempts, oldest first. Absent in lists. */
  attempts?: Attempt[] | null;
  /** Searchable attributes by name. */
  attributes?: Record<string, Json>;
  /** Payload of the job. Lists omit payloads above 4 KiB; read the dead letter instead. */
  data?: Json | null;
  diedAt: string;
  /** The last error. */
  error: JobError;
  executionId?: string | null;
  /** Fingerprint that groups failures of the same kind. */
  fingerprint: string;
  id: string;
  jobId: string;
  jobType: string;
  nodeId?: string | null;
  /** Payloads larger than `maxPayload`, which are null here. */
  omitted?: OmittedPayload[];
  priority: Priority;
  queue: QueueName;
  /** Reason for the permanent failure. */
  reason: DeadReason;
  /** When it was requeued or archived. */
  resolvedAt?: string | null;
  status: DeadLetterStatus;
  tenant: string;
  workflow?: string | null;
}

/** A dead letter after it was requeued or archived. */
export interface DeadLetterChange {
  id: string;
  /** Job ID, which does not change. */
  jobId: string;
  status: DeadLetterStatus;
}

/** A group of dead letters with the same kind of error. */
export interface DeadLetterGroup {
  /** Number of open dead letters. */
  count: number;
  decidedAt?: string | null;
  /** Who made the last decision. */
  decidedBy?: string | null;
  /** Error of the newest dead letter. */
  error: JobError;
  fingerprint: string;
  firstAt: string;
  jobType: string;
  lastAt: string;
  note?: string | null;
  /** Whether a resolved or ignored group reopened automatically. */
  reopened: boolean;
  state: DeadLetterGroupState;
  /** Number of tenants with open dead letters. */
  tenantCount: number;
  /** The most affected tenants, at most ten. */
  tenants: DeadLetterGroupTenant[];
  /** Permanent failures in each hour of the last day, oldest first; the last is the current hour. */
  trend: number[];
  /** When an ignored group reopens. */
  until?: DeadLetterGroupUntil | null;
}

/** State of a group of dead letters, with the last decision about it. */
export interface DeadLetterGroupStanding {
  decidedAt?: string | null;
  /** Who made the last decision. */
  decidedBy?: string | null;
  fingerprint: string;
  note?: string | null;
  /** Whether a resolved or ignored group reopened automatically. */
  reopened: boolean;
  state: DeadLetterGroupState;
  /** When an ignored group reopens. */
  until?: DeadLetterGroupUntil | null;
}

export type DeadLetterGroupState = "open" | "resolved" | "ignored" | (string & {});

/** A tenant in a group of dead letters. */
export interface DeadLetterGroupTenant {
  /** Number of open dead letters. */
  count: number;
  tenant: string;
}

/** When an ignored group reopens: as soon as one of these conditions is met. */
export interface DeadLetterGroupUntil {
  /** Reopens after this number of further dead letters, 1 to 10,000. */
  count?: number | null;
  /** Instant. */
  instant?: string | null;
  /** Reopens with the first dead letter of an execution of this version of `workflow`, or of a later version. */
  version?: number | null;
  /** Workflow of `version`. */
  workflow?: string | null;
}

export type DeadLetterStatus = "open" | "requeued" | "archived" | (string & {});

export type DeadReason = "retries_exhausted" | "non_retryable" | "worker_lost" | "timeout" | (string & {});

/** Starts one execution with the input of the last event, after a period without events. */
export interface Debounce {
  /** Key of the events that belong together, with `${…}` expressions (default: all events of the trigger). */
  key?: string | null;
  /** Period without an event after which the execution starts, up to 30d. */
  period: string;
  /** Maximum wait after the first event (default: 10 periods). */
  timeout?: string | null;
}

/** A request to a webhook endpoint. */
export interface Delivery {
  /** The exact body, encoded as `bodyEncoding`. Absent in lists and if it is not stored. */
  body?: string | null;
  /** Size of the body in bytes, even if the body is not stored. */
  bodyBytes: number;
  /** `text` if the body is UTF-8, otherwise `base64`. */
  bodyEncoding?: string | null;
  /** A curl command that sends the request again, without redacted values. Absent in lists and for events. */
  curl?: string | null;
  /** For a duplicate, the first delivery. */
  duplicateOf?: string | null;
  /** Event type of the provider, or the name of the event. */
  eventType?: string | null;
  /** Executions that the delivery started. */
  executions: string[];
  /** Header names and values in order, with signatures, tokens and cookies redacted. Absent in lists. */
  headers?: string[][] | null;
  id: string;
  /** Its job on `workflow-webhook`. */
  jobId?: string | null;
  /** HTTP method; null for an event. */
  method: string | null;
  /** The body, if it is larger than `maxPayload` and therefore absent here. */
  omitted?: OmittedPayload[];
  /** When retention dropped the body. `bodyBytes` is 0 from then on. */
  payloadDroppedAt?: string | null;
  /** When the triggers were evaluated. */
  processedAt?: string | null;
  /** Event ID of the provider, or of the sender. */
  providerEventId?: string | null;
  /** Reason for rejecting or parking the delivery. */
  reason?: string | null;
  receivedAt: string;
  remoteAddress?: string | null;
  /** For a replay, the original delivery. */
  replayOf?: string | null;
  /** ID of the secret that verified the delivery. */
  secretId?: string | null;
  /** How it was received: `webhook` or `event`. */
  source: DeliverySource;
  status: DeliveryStatus;
  /** Path and query, with sensitive values redacted; null for an event. */
  target: string | null;
  tenant: string;
  traceparent?: string | null;
  /** Result of each trigger. Absent in lists and before the triggers are evaluated. */
  triggers?: DeliveryTriggerOutcome[] | null;
  /** The endpoint; null for an event. */
  webhookId: string | null;
  /** Nodes of waiting executions that the delivery woke, up to about 1,000. */
  woke: WokenNode[];
}

export type DeliverySource = "webhook" | "event" | (string & {});

export type DeliveryStatus = "accepted" | "held" | "matched" | "unmatched" | "parked" | "duplicate" | "rejected" | "handshake" | (string & {});

/** Error of a trigger. */
export interface DeliveryTriggerError {
  /** Stable code, such as `filter_failed`. */
  code: string;
  /** Message. */
  message: string;
}

/** The result of a trigger. */
export interface DeliveryTriggerOutcome {
  error?: DeliveryTriggerError | null;
  executionId?: string | null;
  /** Earliest expected start time, estimated when the trigger was evaluated. Present while the start is put off. */
  putOffUntil?: string | null;
  /**
   * `started`, `started_before`, `joined`, `exists`, `no_match` or `error`; `debounced`, `throttled` or `batched`
   * while the start is put off.
   */
  result: string;
  triggerId: string;
  workflow: string;
}

/** The time of a development server. */
export interface DevTime {
  /** Current time. */
  now: string;
  /** Whether time skips forward automatically while no work is in progress. */
  skip: boolean;
  /** Number of executions that schedules started during the call. */
  started: number;
}

/** The state of dispatch. */
export interface Dispatch {
  /** Whether dispatch is draining: no more offers are made. */
  draining: boolean;
  /** `polling` or `kafka_outbox`. */
  mode: string;
  /** Processes that use the database. */
  nodes: DispatchNode[];
  offers: DispatchOffers;
  outbox: DispatchOutbox;
  /** Messages per second that relays published recently. */
  publishedPerSecond: number;
  shards: DispatchShard[];
}

/** A failure to publish a message. */
export interface DispatchFault {
  at: string;
  /** `broker_away`, `queue_full`, `not_acknowledged`, or the code of dead letters, such as `message_too_large`. */
  reason: string;
}

/** A job type for which no offers are made. */
export interface DispatchHeldType {
  jobType: string;
  /** `topic_not_created`, `not_acknowledged`, or why its topics could not be looked up. */
  reason: string;
  since: string;
}

/** A process that uses the database. */
export interface DispatchNode {
  /** Time since which its relay has been unable to reach a broker. */
  brokerAwaySince?: string | null;
  /** Job types with waiting jobs for which it makes no offers, at most 100. */
  heldTypes: DispatchHeldType[];
  lastError?: DispatchFault | null;
  name: string;
  /** Failures to publish a message since it started. */
  publishErrors: number;
  /** Messages published since it started. */
  published: number;
  publishedPerSecond: number;
  /** Whether it publishes offers. */
  relay: boolean;
  /** Messages that the broker has not acknowledged. */
  unacknowledged: number;
}

/** Open offers. */
export interface DispatchOffers {
  jobTypes: DispatchOffersOfType[];
  /** Number of offers that the broker has but no worker has accepted. */
  lag: number;
  /** Time at which the oldest offer was made. */
  oldestAt?: string | null;
  /** Number of offers. */
  standing: number;
  /** Number of messages that the broker has not acknowledged. */
  unacknowledged: number;
}

/** Offers of a job type. */
export interface DispatchOffersOfType {
  jobType: string;
  /** Time at which the oldest offer was made. */
  oldestAt: string;
  standing: number;
}

/** Waiting jobs of external workers. */
export interface DispatchOutbox {
  asOf: string;
  exact: boolean;
  /** Number of waiting jobs; a lower bound if `exact` is false. */
  jobs: number;
  /** Time at which the oldest of them was queued. */
  oldestAt?: string | null;
}

/** A shard of job types. */
export interface DispatchShard {
  /** Name of the node that publishes its offers. */
  node?: string | null;
  shard: number;
  /** Number of the term, which increases with each new owner. */
  term: number;
  /** Time at which the term ends unless it is renewed. Present with `node`. */
  until?: string | null;
}

/** The results of the checks. */
export interface Doctor {
  checks: DoctorCheck[];
  /** Whether no check failed. */
  ok: boolean;
}

/** A check. */
export interface DoctorCheck {
  /** What was checked, such as `snapshots`. */
  check: string;
  /** What was found. */
  detail: string;
  /** Objects that the finding is based on. */
  evidence?: Record<string, Json>[];
  /** How to fix it; present with `warn` and `fail`. */
  fix?: string | null;
  status: DoctorCheckStatus;
}

export type DoctorCheckStatus = "ok" | "warn" | "fail" | "skipped" | (string & {});

/** A change of the encryption of a tenant. */
export interface EncryptionRequest {
  /** Whether payloads are encrypted from now on. */
  enabled: boolean;
}

/** An accepted job. */
export interface Enqueued {
  /** True if an unfinished job with the same unique key already exists; absent for a new job. */
  existing?: boolean | null;
  /** Job ID. */
  id: string;
  /** Queue position: lower positions of a lane are processed first. */
  position: number;
  /** Status. */
  status: JobStatus;
}

/** Events to send in one commit. */
export interface EventBatch {
  /** The events, at most 1,000. */
  events: EventRequest[];
}

/** An event to send. */
export interface EventRequest {
  /** Any JSON value, up to 1 MiB (default: null). */
  data?: Json;
  /** ID chosen by the sender. A second event with the same name and ID within 24 hours is a duplicate. */
  id?: string | null;
  /** Event name: a letter or digit, then up to 127 letters, digits, `.`, `_`, `/` or `-`. */
  name: string;
  /** Tenant (default: the key's tenant, or `default`). */
  tenant?: string | null;
  /** W3C trace context passed to executions. Overrides the `traceparent` header. */
  traceparent?: string | null;
}

/** A trigger that starts a workflow for each event it matches. */
export interface EventTrigger {
  /**
   * Starts one execution for several events. In `input`, only `batch` is in scope:
   * a list of `{event, body, delivery}`.
   */
  batch?: BatchOfEvents | null;
  createdAt: string;
  /** Starts one execution with the input of the last event, after a period without events. */
  debounce?: Debounce | null;
  /** Event names that it matches. */
  events: string[];
  filter?: string | null;
  id: string;
  input?: Json | null;
  name: string;
  paused: boolean;
  priority?: Priority | null;
  /** Revision, incremented by each change. */
  revision: number;
  tenant: string;
  /** Limits the number of starts in any period. Further starts are delayed. */
  throttle?: Throttle | null;
  updatedAt: string;
  /** Workflow version; absent for the latest. */
  version?: number | null;
  /** Workflow that it starts. */
  workflow: string;
}

/** A trigger to save. */
export interface EventTriggerRequest {
  /**
   * Starts one execution for several events. In `input`, only `batch` is in scope:
   * a list of `{event, body, delivery}`.
   */
  batch?: BatchOfEvents | null;
  /** Starts one execution with the input of the last event, after a period without events. */
  debounce?: Debounce | null;
  /** Event names to match, such as `order.paid` or `order.*`. */
  events: string[];
  /** CEL condition over `event`, `body` and `delivery`. */
  filter?: string | null;
  /** Execution input, with `${…}` expressions in strings (default: the body). */
  input?: Json;
  /** Unique within the tenant. */
  name: string;
  /** Whether the trigger is paused (default: false for a new one, unchanged for an existing one). */
  paused?: boolean | null;
  /** Priority (default `high`). */
  priority?: Priority | null;
  /** Expected current revision of the trigger; the update is rejected if it differs. Not allowed for a new trigger. */
  revision?: number | null;
  /** Tenant (default: the key's tenant, or `default`). It cannot change later. */
  tenant?: string | null;
  /** Limits the number of starts in any period. Further starts are delayed. */
  throttle?: Throttle | null;
  /** Workflow version (default: the latest). */
  version?: number | null;
  /** Workflow to start. */
  workflow: string;
}

/** An execution. */
export interface Execution {
  /** Searchable attributes by name. */
  attributes?: Record<string, Json>;
  completedAt?: string | null;
  correlationId?: string | null;
  createdAt: string;
  error?: ExecutionError | null;
  /** Fingerprint of the most recent dead letter among its jobs. */
  fingerprint?: string | null;
  id: string;
  /** Input. Absent in lists. */
  input?: Json | null;
  jobId: string;
  /** Payloads larger than `maxPayload`, which are null here. */
  omitted?: OmittedPayload[];
  /** Output, once the status is `COMPLETED`. Absent in lists. */
  output?: Json | null;
  /** Parent execution. */
  parent?: Parent | null;
  /** When retention dropped the input and output of the execution and its nodes, which are null from then on. */
  payloadDroppedAt?: string | null;
  priority: Priority;
  startedAt?: string | null;
  status: ExecutionStatus;
  tags?: string[];
  tenant: string;
  traceparent?: string | null;
  trigger: Trigger;
  /** Unique key. */
  uniqueKey?: string | null;
  version: number;
  workflow: string;
}

/** Executions to start in one commit. */
export interface ExecutionBatch {
  /** The executions, at most 10,000. */
  executions: ExecutionRequest[];
  /** Whether valid executions are accepted even if others are invalid (default false: atomic). */
  partial?: boolean;
}

/** Why an execution failed. */
export interface ExecutionError {
  code?: string | null;
  message: string;
  /** ID of the failed node. */
  node?: string | null;
}

/** An execution to start. */
export interface ExecutionRequest {
  /** Searchable attributes by name: values of their declared types, or lists of at most 16 values. */
  attributes?: Record<string, Json>;
  /** Correlation ID chosen by the caller. */
  correlationId?: string | null;
  /** Delay before the earliest start. */
  delay?: string | null;
  /**
   * Maximum wait for the start, counted from when the execution may start (default: the workflow's). An execution
   * that has not started by then is cancelled with the error code `expired`.
   */
  expiresIn?: string | null;
  /** Input, validated against the workflow's schema (default: an empty object). */
  input?: Json;
  /** Priority (default `high`). */
  priority?: Priority | null;
  /** Earliest start time. Mutually exclusive with `delay`. */
  runAt?: string | null;
  /** Signal for the open execution with the key, or for the new one. Requires `uniqueKey` and the policy `join`. */
  signal?: StartSignal | null;
  /** Tags for filtering. */
  tags?: string[];
  /** Tenant (default: the key's tenant, or `default`). */
  tenant?: string | null;
  /** W3C trace context passed to workers. Overrides the `traceparent` header. */
  traceparent?: string | null;
  /** Unique key of the execution within its tenant and workflow while it is open. */
  uniqueKey?: string | null;
  /** What happens while an execution with the key is open: `join` (default), `reject`, `replace` or `queue`. */
  uniquePolicy?: UniquePolicy | null;
  /** Workflow version (default: the latest). */
  version?: number | null;
  /** Workflow name. */
  workflow: string;
}

/** The status of an execution and its nodes after an entry of its timeline. */
export interface ExecutionState {
  at: string;
  /** Code of the entry. */
  kind: TimelineEventKind;
  /** Node that the entry is about. */
  nodeId?: string | null;
  /** Status of each node that has started or ended, by ID; compensations as `charge:compensate`. */
  nodes: Record<string, NodeStatus>;
  /** Position of the entry. */
  position: number;
  /** Status of the execution after the entry. */
  status: ExecutionStatus;
}

export type ExecutionStatus = "PENDING" | "RUNNING" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED" | "COMPENSATING" | (string & {});

/** What an execution is waiting for. */
export interface ExecutionWhy {
  /** Explanation. */
  detail: string;
  /** Why its own job is not running, if the execution waits for that. */
  job?: Why | null;
  /**
   * `finished`, `waiting` (see `waitsFor`), `running`, or the reason why its own job is not running,
   * such as `limit_workflow`.
   */
  reason: WhyReason;
  status: ExecutionStatus;
  /** What its nodes wait for, in definition order, at most 100. */
  waitsFor: NodeWait[];
}

/** A failed job. */
export interface Failure {
  /** Error: an object, or just a message. */
  error: JobError;
  id: string;
  leaseToken: string;
  /** Log lines of the attempt so far; at most 100 per call. */
  logs?: LogLine[] | null;
  /** Delay before the next retry, instead of the backoff. */
  retryAfter?: string | null;
  /** Retryable (default true). */
  retryable?: boolean | null;
}

/** One error of an invalid request. */
export interface Fault {
  /** With `query_invalid` and `attribute_undeclared`: length of the invalid part, in code points. */
  length?: number | null;
  /** What is wrong and what is expected. */
  message: string;
  /** JSON pointer into the body, or `/` and the name of the query parameter. */
  pointer: string;
  /** With `query_invalid` and `attribute_undeclared`: start of the invalid part of the query, in code points from 0. */
  position?: number | null;
}

export type FireReason = "tick" | "catchup" | "backfill" | "manual" | (string & {});

/** Options of resolving or reopening a group. */
export interface GroupDecisionRequest {
  /** Explanation for other people. */
  note?: string | null;
}

/** Options of ignoring a group. */
export interface GroupIgnoreRequest {
  /** Explanation for other people. */
  note?: string | null;
  /** When the group reopens (default: only when someone reopens it). */
  until?: DeadLetterGroupUntil | null;
}

/** Server status. */
export interface Health {
  /**
   * Time since which this server has been unable to reach Kafka, if it publishes jobs there. Meanwhile, jobs wait in
   * the database.
   */
  brokerAwaySince?: string | null;
  /** `ok` or `ready`. */
  status: string;
}

/** A lease to renew. */
export interface Heartbeat {
  /** New lease duration from now on (default: the original duration). */
  extend?: string | null;
  id: string;
  leaseToken: string;
  /** Log lines of the attempt so far; at most 100 per call. */
  logs?: LogLine[] | null;
  /** Progress, shown with the job. */
  progress?: Json;
}

/** A job. */
export interface Job {
  /** Attempts, oldest first. Absent in lists. */
  attempts?: Attempt[] | null;
  /** Searchable attributes by name. */
  attributes?: Record<string, Json>;
  backoff: Backoff;
  completedAt?: string | null;
  concurrencyKey?: string | null;
  createdAt: string;
  /** Payload. Lists omit payloads above 4 KiB; read the job instead. */
  data?: Json | null;
  /** The last error. */
  error?: JobError | null;
  executionId?: string | null;
  /** Fingerprint of the last error: the same for failures of the same kind, and for the dead letter. */
  fingerprint?: string | null;
  id: string;
  jobType: string;
  /** Expiry time of the lease, while the job is leased. */
  leaseExpiresAt?: string | null;
  maxRetries: number;
  nodeId?: string | null;
  /** Expiry time of the current offer through Kafka, during which the status is `QUEUED`. */
  offeredUntil?: string | null;
  /** Payloads larger than `maxPayload`, which are null here. */
  omitted?: OmittedPayload[];
  /** When retention dropped the data and the result, which are null from then on. */
  payloadDroppedAt?: string | null;
  /** Queue position within its lane. */
  position: number;
  priority: Priority;
  /** When the last attempt started. */
  processedAt?: string | null;
  /** Last progress reported by the worker. */
  progress?: Json | null;
  queue: QueueName;
  rateKey?: string | null;
  result?: Json | null;
  retryCount: number;
  /** Earliest time of the next attempt. */
  runAt: string;
  status: JobStatus;
  tags?: string[];
  tenant: string;
  timeout?: string | null;
  traceparent?: string | null;
  uniqueKey?: string | null;
  /** Worker that holds or last held the lease. */
  workerId?: string | null;
  /** Workflow whose limits apply to the job. */
  workflow?: string | null;
}

/** Jobs to enqueue in one commit. */
export interface JobBatch {
  /** The jobs, at most 10,000. */
  jobs: JobRequest[];
  /** Whether valid jobs are accepted even if others are invalid (default false: atomic). */
  partial?: boolean;
}

/** A changed job. */
export interface JobChange {
  id: string;
  /** New status. */
  status: JobStatus;
}

/** An error of a job. */
export interface JobError {
  /** Error code for programs. */
  code?: string | null;
  /** Additional details from the handler. */
  details?: Json | null;
  /** Message for people. */
  message: string;
}

/** Log lines of a leased job. */
export interface JobLines {
  id: string;
  leaseToken: string;
  /** Lines, in order; at most 100 per call. */
  lines: LogLine[];
}

/** A job to enqueue. */
export interface JobRequest {
  /** Searchable attributes by name: values of their declared types, or lists of at most 16 values. */
  attributes?: Record<string, Json>;
  /** Backoff between retries. */
  backoff?: Backoff | null;
  /** At most one leased job of the tenant has this key, or as many as `maxConcurrent` of `/v1/rates/{key}` says. */
  concurrencyKey?: string | null;
  /** Payload, passed to the worker unchanged (default `null`). */
  data?: Json;
  /** Delay before the earliest start. */
  delay?: string | null;
  /**
   * Maximum wait for the start, counted from when the job may run. A job that has not started by then is cancelled
   * with the error code `expired`.
   */
  expiresIn?: string | null;
  /** Job type, which selects the handler. */
  jobType: string;
  /** Maximum number of retries after a failure. */
  maxRetries?: number | null;
  /** Priority (default `normal`). */
  priority?: Priority | null;
  /** Rate key. If a rate is set for it, starts of the job are counted under that rate. */
  rateKey?: string | null;
  /** Earliest start time. Mutually exclusive with `delay`. */
  runAt?: string | null;
  /** Tags for filtering. */
  tags?: string[];
  /** Tenant (default: the key's tenant, or `default`). */
  tenant?: string | null;
  /** Timeout of each attempt. */
  timeout?: string | null;
  /** W3C trace context passed to the worker. Overrides the `traceparent` header. */
  traceparent?: string | null;
  /** At most one unfinished job of the tenant has this key. */
  uniqueKey?: string | null;
}

export type JobStatus = "SCHEDULED" | "QUEUED" | "PROCESSING" | "WAITING" | "RETRY_WAIT" | "COMPLETED" | "FAILED" | "DEAD_LETTER" | "CANCELLED" | (string & {});

/** The rate of a rate key. */
export interface KeyRate {
  /** Rate key, or a prefix of rate keys that ends in `*`. */
  key: string;
  /** Maximum number of concurrent jobs of each key; absent if unlimited. */
  maxConcurrent?: number | null;
  /** Starts per period of each key. */
  rate: Json;
  tenant: string;
}

/** The rate to set for a rate key. */
export interface KeyRateRequest {
  /** Maximum number of concurrent jobs of each key (default: unlimited). */
  maxConcurrent?: number | null;
  /** Starts per period of each key. */
  rate: Json;
}

/** The rates of all rate keys. */
export interface KeyRates {
  /** The rates, by tenant and key. */
  items: KeyRate[];
}

/** Options of a key rotation. */
export interface KeyRotation {
  /** How long the previous secret stays valid, up to 30 d (default 24 h). */
  overlap?: string | null;
}

/**
 * A scope of an API key.
 *
 * An action is `jobs.enqueue`, `jobs.*`, `*.read`, `*` or similar; a name is complete or ends in `*`. A scope with
 * names grants only those of its actions that names can restrict.
 */
export interface KeyScope {
  /** Actions that the scope grants. */
  actions: string[];
  /** Job types to which the scope applies. */
  jobTypes?: string[];
  /** Queues to which the scope applies. */
  queues?: string[];
  /** Tenants to which the scope applies. Polling across all tenants requires `*`. */
  tenants?: string[];
  /** Workflows to which the scope applies. */
  workflows?: string[];
}

export type LeaseOutcome = "ok" | "already_done" | "cancelled" | "lease_lost" | "rejected" | (string & {});

/** Limits of one queue. Absent fields keep their limit; null removes an override. */
export interface LimitChanges {
  /** Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`. */
  jobTypeRate?: Json | null;
  /** Maximum number of concurrent jobs. */
  maxConcurrent?: number | null;
  /**
   * Starts per period: a window such as `"100/1m"`, which allows at most 100 starts in any minute, or a token bucket
   * that refills evenly.
   */
  rate?: Json | null;
  /** Limit of each tenant without its own limit. Only on `/v1/limits`. */
  tenantMaxConcurrent?: number | null;
  /** Rate of each tenant without its own rate. Only on `/v1/limits`. */
  tenantRate?: Json | null;
  /** Limit of each workflow without its own limit. Only on `/v1/limits`. */
  workflowMaxConcurrent?: number | null;
  /** Rate of each workflow without its own rate. Only on `/v1/limits`. */
  workflowRate?: Json | null;
}

/** Number of matching objects. */
export interface ListCount {
  /** Whether `value` is exact. Otherwise it is a lower bound, because counting is bounded. */
  exact: boolean;
  /** Number of matches, at most 10,000. */
  value: number;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | (string & {});

/** A log line of a handler. */
export interface LogLine {
  /** Time of the line by the worker's clock (default: now). */
  at?: string | null;
  /** Structured fields: an object. */
  fields?: Record<string, Json> | null;
  level: LogLevel;
  /** Text; message and fields have at most 8 KiB together, and longer lines are cut. */
  message: string;
  /** Number of the line in its attempt, from 1. Lines that were already received are not stored again. */
  sequence?: number | null;
}

/** A manually started execution. */
export interface ManualRun {
  executionId: string;
  /** Time of the fire in the history. */
  scheduledFor: string;
}

/** Progress of a `MAP`. */
export interface MapItems {
  /** Number of completed items, including collected failures. */
  completed: number;
  /** Number of started items. */
  started: number;
  /** Number of items. */
  total: number;
}

/** The caller and the server. */
export interface Me {
  /** Name under which the audit log lists the caller. */
  actor: string;
  /** Allowed actions, such as `jobs.cancel`. */
  can: string[];
  /** Groups that the caller belongs to in user tasks. */
  groups: string[];
  /** API key ID, for callers with a key. */
  key?: string | null;
  /** Whether responses to the caller include payloads. */
  payloads: boolean;
  /** Person that the caller represents in user tasks. */
  person?: string | null;
  /** Role. */
  role: Role;
  /** Scopes that restrict the role; empty for none. */
  scopes: Record<string, Json>[];
  /** The server. */
  server: MeServer;
  /** Tenant that the caller is bound to. */
  tenant?: string | null;
}

/** The server, as its operator labels it. */
export interface MeServer {
  /** Color of the environment, such as `#b91c1c`. */
  color?: string | null;
  /** Name of the environment, such as `production`. */
  environment?: string | null;
  /** Whether the console is read-only. */
  readOnly: boolean;
  /** Version. */
  version: string;
}

export type Misfire = "skip" | "latest" | "all" | (string & {});

/** An event to deliver. */
export interface MockEvent {
  /** Time after the start at which it is delivered (default: as soon as a node waits for it). */
  after?: string | null;
  /** Data. */
  data?: Json;
  /** Event name. */
  name: string;
}

/** How one round of a node ends, after its retries: exactly one of `output`, `error` and `timesOut`. */
export interface MockResult {
  /** Duration of the round (default: zero). */
  after?: string | null;
  /** Error: an object, or just a message. */
  error?: JobError | null;
  /** What the handler or child returns, the person submits, or the signal or callback carries. */
  output?: Json;
  /** Whether the node's timeout ends it. */
  timesOut?: boolean;
}

/** A signal to send. */
export interface MockSignal {
  /** Time after the start at which it is sent (default: as soon as a node waits for it). */
  after?: string | null;
  /** Signal name. */
  name: string;
  /** Payload. */
  payload?: Json;
}

/** A move of the store. */
export interface Move {
  /** Why the move failed. */
  error?: string | null;
  id: string;
  /** How long work was paused, in milliseconds. */
  pausedMs?: number | null;
  /** `copying` (work continues), `finishing` (work is paused), `done` or `failed` (work continues on the old database). */
  phase: string;
  /** Rows copied while work continued; rows that changed meanwhile count again. */
  rowsCopied: number;
  /** Rows copied while work was paused. */
  rowsLeft?: number | null;
  /** Rows of the database when the move started; 0 until they are counted. */
  rowsTotal: number;
  startedAt: string;
  /** New database, without credentials. */
  to: string;
}

/** Target database of a move. */
export interface MoveRequest {
  /** Schema of its tables. */
  schema?: string;
  /** Address of an empty PostgreSQL database, with credentials; never shown again. */
  to: string;
}

/** A new API key, with its secret. */
export interface NewApiKey {
  createdAt: string;
  /** Expiry time. */
  expiresAt?: string | null;
  /** Groups that the key belongs to in user tasks. */
  groups?: string[];
  id: string;
  /** When it was last used, accurate to about a minute. */
  lastUsedAt?: string | null;
  name: string;
  /** Allowed client networks and addresses (default: any). */
  networks?: string[];
  /** Whether responses include payloads. */
  payloads: boolean;
  /** User that the key represents in user tasks. */
  person?: string | null;
  /** First characters of the secret, to identify the key. */
  prefix: string;
  /** Expiry time of the previous secret after a rotation. */
  previousUntil?: string | null;
  revokedAt?: string | null;
  role: Role;
  /** When its secret was last changed. */
  rotatedAt?: string | null;
  /** Scopes that restrict the role (default: everything the role allows). */
  scopes?: KeyScope[] | null;
  tenant?: string | null;
  /** The secret, shown only in this response; null when the call is retried with its idempotency key. */
  key: string | null;
}

/** Policy for new executions of a paused workflow. */
export type NewRuns = "queue" | "refuse" | (string & {});

/** A node of an execution. */
export interface Node {
  /** Number of attempts so far. */
  attempts: number;
  /** One-time callback URL of a `WAIT_WEBHOOK` node until it is used. Hidden from read-only keys. */
  callbackUrl?: string | null;
  error?: JobError | null;
  finishedAt?: string | null;
  input?: Json | null;
  /** Progress of a `MAP`, once it has started. */
  mapItems?: MapItems | null;
  /** Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify[17]`. */
  nodeId: string;
  /** Payloads larger than `maxPayload`, which are null here. */
  omitted?: OmittedPayload[];
  output?: Json | null;
  startedAt?: string | null;
  status: NodeStatus;
  /** Node type, such as `SERVICE_TASK`, `TIMER` or `MAP`. */
  type: string;
  /** What the node waits for, while it is `WAITING`. */
  waitsFor?: NodeWait | null;
}

export type NodeStatus = "PENDING" | "RUNNING" | "WAITING" | "RETRY_WAIT" | "COMPLETED" | "SKIPPED" | "FAILED" | "CANCELLED" | (string & {});

/** What a node waits for. */
export interface NodeWait {
  /** Explanation. */
  detail: string;
  /** Child execution that the node waits for. */
  executionId?: string | null;
  /** Why the job is not running. */
  job?: Why | null;
  /** Its job. */
  jobId?: string | null;
  /** The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`. */
  nodeId: string;
  /** `timer`, `signal`, `user_task`, `child`, `callback`, `event`, `delay`, `job_queued`, `job_running` or `retry_wait`. */
  reason: string;
  /** Node type, such as `TIMER`. */
  type: string;
  /** Time of the next event: the timer fires, the wait times out, or the job is retried. */
  until?: string | null;
}

/** A payload that was left out. */
export interface OmittedPayload {
  /** Size of its JSON text, or of the body of a delivery, in bytes. */
  bytes: number;
  /** Name of the field, which is null instead. */
  field: string;
  /** Path of the payload. */
  href: string;
  /** SHA-256 of the same bytes, in hexadecimal. */
  sha256: string;
}

/** The outcome of one report. */
export interface Outcome {
  id: string;
  /** New expiry time of the lease, after a heartbeat. */
  leaseExpiresAt?: string | null;
  outcome: LeaseOutcome;
  /** Reason for rejecting the report. The lease stays valid. */
  reason?: string | null;
}

/** The outcomes of the reports, in order. */
export interface Outcomes {
  /** True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise. */
  drain?: boolean | null;
  /** Leased jobs, in the order in which to start them; present if the reports came with a `poll`. */
  jobs?: PolledJob[] | null;
  /** One outcome per report. */
  results: Outcome[];
}

export type Overlap = "allow" | "skip" | "queueOne" | "cancelPrevious" | (string & {});

/** The values set for one tenant, workflow or job type, or for a job type of one tenant. */
export interface OwnLimit {
  jobType?: string | null;
  /** Maximum number of concurrent jobs; null means unlimited; absent if only a rate is set. */
  maxConcurrent?: number | null;
  /** Starts per period; absent if only a limit is set. */
  rate?: Json | null;
  /** The tenant; for a workflow, the tenant that owns it. */
  tenant?: string | null;
  workflow?: string | null;
}

/** The parent of an execution. */
export interface Parent {
  executionId: string;
  /** Node that started the execution, or the item of a `MAP` such as `book[3]`. */
  nodeId: string;
}

/** Options of a pause. */
export interface PauseRequest {
  /** Policy for new executions (default `queue`). */
  newRuns?: NewRuns;
}

/** A key for payloads, without the key itself. */
export interface PayloadKey {
  createdAt: string;
  /** Whether new payloads are encrypted with it. Other keys only decrypt. */
  current: boolean;
  id: string;
  /** Name of the key in `secrets.keys` that encrypts this key. */
  sealedWith: string;
  /** Whether the responding server has that key. */
  usable: boolean;
}

/** Three percentiles in milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** A poll for jobs. */
export interface Poll {
  /** Build that the worker runs. */
  build?: string | null;
  /**
   * Pins the job types to these builds when the worker starts. The list must include the worker's own build. From
   * then on, only workers of these builds receive their jobs. A worker that starts later replaces the pin, but not a
   * pin set by an operator.
   */
  builds?: string[];
  /** Job types that the worker handles. */
  jobTypes: string[];
  /** Lease duration (default: the queue's setting). */
  lease?: string | null;
  /** Maximum number of jobs (default 1). */
  maxJobs?: number | null;
  /** Filter by tenant. */
  tenant?: string | null;
  /** Maximum wait for a job, up to 30 s (default: no wait). */
  wait?: string | null;
  /** Worker ID, random per process. */
  workerId: string;
}

/** A leased job. */
export interface PolledJob {
  /** The number of this attempt, from 1. */
  attempt: number;
  data: Json;
  /** Deadline of this attempt if the job has a `timeout`. Heartbeats do not extend the lease beyond it. */
  deadline?: string | null;
  executionId?: string | null;
  id: string;
  /** Idempotency key for external systems; the same for every attempt of the job. */
  idempotencyKey: string;
  jobType: string;
  /** Error of the last failed attempt, if any. */
  lastError?: JobError | null;
  /** Expiry time of the lease unless a heartbeat renews it. */
  leaseExpiresAt: string;
  /** Lease (fencing) token, required in every report. Keep it secret. */
  leaseToken: string;
  /** Maximum number of retries after a failure. */
  maxRetries: number;
  nodeId?: string | null;
  /** Last progress reported by an earlier attempt. */
  progress?: Json | null;
  tenant: string;
  traceparent?: string | null;
  workflow?: string | null;
}

/** The result of a poll. */
export interface PolledJobs {
  /** True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise. */
  drain?: boolean | null;
  /** Leased jobs, in the order in which to start them; empty if none is available. */
  jobs: PolledJob[];
}

/** A preview of the next fires. */
export interface Preview {
  /** Description of the expression in words. */
  description: string;
  /** The next fire times. */
  next: string[];
  /** Effects of clock changes on these fire times. */
  notes: string[];
}

/** A cron expression or an interval to preview. */
export interface PreviewRequest {
  /** First fire of the interval (default: now). */
  anchor?: string | null;
  /** Number of fires, 1 to 1000 (default 5). */
  count?: number | null;
  /** The cron expression. Required without `every`. */
  cron?: string | null;
  /** Interval between fires, at least `10s`, instead of `cron`. */
  every?: string | null;
  /** Start of the preview, exclusive (default: now). */
  from?: string | null;
  /** IANA time zone (default `UTC`). */
  timezone?: string | null;
}

export type Priority = "high" | "normal" | "low" | (string & {});

/** A problem document (RFC 9457). */
export interface Problem {
  /** Stable error code for programs. */
  code: string;
  /** Description of this occurrence. */
  detail: string;
  /** Errors of an invalid request, each with its location. */
  errors?: Fault[];
  /** With `execution_exists`: ID of the open execution. */
  existingId?: string | null;
  /** With `attribute_undeclared`: command that declares the attribute. */
  hint?: string | null;
  /** With `quota_exceeded`: value of the quota. */
  limit?: number | null;
  /** With `quota_exceeded`: name of the quota. */
  quota?: string | null;
  /** HTTP status code. */
  status: number;
  /** HTTP status text. */
  title: string;
  /** URN that ends in the code. */
  type: string;
  /** With `quota_exceeded`: current usage. */
  used?: number | null;
}

/** A queue with the statistics of the jobs that the key can see. */
export interface Queue {
  /** How long the oldest queued job has been claimable; null if no job is queued. */
  oldestAgeMs: number | null;
  /** Leased by a worker. */
  processing: number;
  /** Queued: ready to be claimed. */
  queued: number;
  /** Waiting for a retry. */
  retryWait: number;
  /** Waiting for their due time. */
  scheduled: number;
  /** Parked executions. */
  waiting: number;
  /** Number of open dead letters. */
  deadLetters: number;
  /** Fraction of these jobs that did not complete, from 0 to 1. */
  errorRate1m: number;
  mode: QueueModeKind;
  /** Whether the queue is paused, so that no jobs start. */
  paused: boolean;
  queue: QueueName;
  /** Run time from claimed to settled in the last minute; null if no job ended. */
  runMs: Percentiles | null;
  /** Number of jobs that ended in the last minute. */
  throughput1m: number;
  /** Statistics by priority. */
  tiers: Record<string, QueueCounts>;
  /** Wait from claimable to claimed in the last minute; null if no job ended. */
  waitMs: Percentiles | null;
}

/** Number of jobs of a queue by state. */
export interface QueueCounts {
  /** How long the oldest queued job has been claimable; null if no job is queued. */
  oldestAgeMs: number | null;
  /** Leased by a worker. */
  processing: number;
  /** Queued: ready to be claimed. */
  queued: number;
  /** Waiting for a retry. */
  retryWait: number;
  /** Waiting for their due time. */
  scheduled: number;
  /** Parked executions. */
  waiting: number;
}

/** Effective limits of one queue with their sources. */
export interface QueueLimits {
  /** Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`. */
  jobTypeRate?: Json | null;
  /** Maximum number of concurrent jobs; null is unlimited. */
  maxConcurrent: number | null;
  /** Total number of overrides; absent if there are none. */
  overrideCount?: number | null;
  /**
   * The values set for individual tenants, workflows and job types, at most 100. Only in `GET /v1/limits`; absent if there
   * are none.
   */
  overrides?: OwnLimit[];
  /** Starts per period; absent if there is no rate. */
  rate?: Json | null;
  /** `override`, `definition` or `default`; absent if there is no rate. */
  rateSource?: string | null;
  /** `override`, `definition`, `default` or `settings`. */
  source: string;
  /** Limit of each tenant without its own limit. Only on `/v1/limits`. */
  tenantMaxConcurrent?: number | null;
  /** Rate of each tenant without its own rate. Only on `/v1/limits`. */
  tenantRate?: Json | null;
  tenantSource?: string | null;
  /** Limit of each workflow without its own limit. Only on `/v1/limits`. */
  workflowMaxConcurrent?: number | null;
  /** Rate of each workflow without its own rate. Only on `/v1/limits`. */
  workflowRate?: Json | null;
  workflowSource?: string | null;
}

/** The mode of a queue. */
export interface QueueMode {
  mode: QueueModeKind;
  /** Whether the queue is paused, so that no jobs start. */
  paused: boolean;
  queue: QueueName;
}

export type QueueModeKind = "running" | "paused" | "draining" | (string & {});

export type QueueName = "workflow-execution" | "workflow-node" | "workflow-scheduled" | "workflow-webhook" | (string & {});

/** How long finished jobs of a queue are kept. */
export interface QueueRetention {
  /** Cancelled jobs. */
  cancelled?: string | null;
  /** Completed jobs. */
  completed?: string | null;
  /** Failed jobs, and jobs of resolved dead letters. */
  failed?: string | null;
  /** Data and results; null: as long as the jobs. */
  payloads?: string | null;
}

/** Retention times of a queue to change. */
export interface QueueRetentionRequest {
  cancelled?: string | null;
  completed?: string | null;
  failed?: string | null;
  payloads?: string | null;
}

/** The load of a queue for autoscalers. */
export interface QueueScaling {
  /** Time at which the figures were read. */
  asOf: string;
  /** Number of slots that could be busy now: `processing` + `offered` + `startable`. */
  desired: number;
  /** Whether all queued jobs were counted. Otherwise `queued` and `startable` are lower bounds. */
  exact: boolean;
  /** Number of queued jobs that a limit or a concurrency key holds back. */
  heldByLimit: number;
  /** Number of queued jobs without an active worker for their type. */
  noWorker: number;
  /** Number of jobs that are offered through Kafka and that no worker has accepted. */
  offered: number;
  /** How long the oldest job has been claimable; null if no job is queued. */
  oldestAgeMs: number | null;
  /** Number of jobs that workers hold. */
  processing: number;
  queue: QueueName;
  /** Number of jobs that wait to be claimed. */
  queued: number;
  /** Number of queued jobs that no limit or pause holds back. */
  startable: number;
  /** Number of active external workers that take these jobs. */
  workers: number;
}

/** An accepted delivery. */
export interface ReceivedDelivery {
  /** True for a duplicate, which starts no workflow. */
  deduplicated?: boolean;
  /** Delivery ID; for a duplicate, the ID of the first delivery. */
  deliveryId: string;
  /** `held` if the endpoint is paused or over its rate limit: the delivery is stored and matched later. */
  status?: DeliveryStatus;
}

/** A figure for the last hour and the last day, rounded up to whole minutes and hours. */
export interface RecentFigure {
  /** Last hour. */
  "1h": number;
  /** Last day. */
  "24h": number;
}

/** A rejected delivery. */
export interface RefusedDelivery {
  /** With `quota_exceeded`: what makes room. */
  detail?: string | null;
  /**
   * Stable code: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
   * `rate_limited`, `too_large`, `paused`, `quota_exceeded`, `unavailable`.
   */
  error: string;
  /**
   * With `quota_exceeded`: the quota `deliveryBytes` of the tenant, or the setting `webhooks.stored_per_webhook` or
   * `webhooks.stored`.
   */
  quota?: string | null;
}

/** The response to a registration. */
export interface RegisteredWorkflow {
  /** SHA-256 (hex) of the definition as JSON with sorted keys. */
  contentHash?: string;
  createdAt?: string;
  /** Definition. Absent in lists. */
  definition?: Json | null;
  /** `limits.maxConcurrent` of the definition. */
  maxConcurrent?: number | null;
  name?: string;
  /** Policy for new executions while the workflow is paused. */
  newRuns?: NewRuns | null;
  /** Whether the workflow is paused. */
  paused?: boolean;
  /** Location of each node in the program that the version was compiled from, by node ID. Absent in lists. */
  source?: Record<string, SourcePlace> | null;
  /** Tenant that owns the workflow; absent for a shared workflow. */
  tenant?: string | null;
  version?: number;
  /** Warnings. Only in the response to a registration. */
  warnings?: Fault[];
  /** Always true; an invalid definition returns status 422. */
  valid?: boolean;
}

/** A job to release. */
export interface Release {
  /** Delay before the job may run again (default: none). */
  delay?: string | null;
  id: string;
  leaseToken: string;
}

/** Options of a replay. */
export interface ReplayRequest {
  /** Whether triggers that have already started a workflow start it again (default false). */
  allTriggers?: boolean;
}

/** A replayed delivery. */
export interface ReplayedDelivery {
  /** The new delivery. */
  deliveryId: string;
  /** The original delivery. */
  replayOf: string;
}

/** New priority. */
export interface ReprioritizeRequest {
  priority: Priority;
}

/** Changes applied by a requeue. Absent fields keep the values of the job. */
export interface RequeueRequest {
  /** New payload. */
  data?: Json;
  /** New maximum number of retries. */
  maxRetries?: number | null;
  priority?: Priority | null;
}

/** Options of a rerun. */
export interface RerunRequest {
  /** Whether a failed rerun also compensates nodes whose results it reused (default false). */
  compensateOriginal?: boolean;
  /** Node to rerun from. It and all nodes after it run again; results of the others are reused. */
  fromNode: string;
  /** New input (default: the input of the original execution). */
  input?: Json;
}

/** How long finished objects are kept. */
export interface Retention {
  /** Resolved alerts. Cannot be set for a tenant. */
  alerts?: string | null;
  /** Requeued and archived dead letters. */
  archive?: string | null;
  /** The audit log. Cannot be set for a tenant. */
  audit?: string | null;
  /** Webhook deliveries and events. */
  deliveries?: string | null;
  /** Bodies of deliveries; null: as long as the deliveries. */
  deliveryBodies?: string | null;
  /** Inputs and outputs of finished executions and their nodes; null: as long as the executions. */
  executionPayloads?: string | null;
  /** Finished executions with their nodes and timelines. */
  executions?: string | null;
  "workflow-execution": QueueRetention;
  "workflow-node": QueueRetention;
  "workflow-scheduled": QueueRetention;
  "workflow-webhook": QueueRetention;
  /** The effective times: times set through the API are rounded up. */
  effective: RetentionTimes;
  /** Where each value comes from: `settings`, `deployment` or `tenant`. */
  source: RetentionTimes;
}

/** Times to change: a duration, or null for the default. */
export interface RetentionRequest {
  alerts?: string | null;
  archive?: string | null;
  audit?: string | null;
  deliveries?: string | null;
  deliveryBodies?: string | null;
  executionPayloads?: string | null;
  executions?: string | null;
  "workflow-execution"?: QueueRetentionRequest | null;
  "workflow-node"?: QueueRetentionRequest | null;
  "workflow-scheduled"?: QueueRetentionRequest | null;
  "workflow-webhook"?: QueueRetentionRequest | null;
}

/** Times for each kind of object. */
export interface RetentionTimes {
  /** Resolved alerts. Cannot be set for a tenant. */
  alerts?: string | null;
  /** Requeued and archived dead letters. */
  archive?: string | null;
  /** The audit log. Cannot be set for a tenant. */
  audit?: string | null;
  /** Webhook deliveries and events. */
  deliveries?: string | null;
  /** Bodies of deliveries; null: as long as the deliveries. */
  deliveryBodies?: string | null;
  /** Inputs and outputs of finished executions and their nodes; null: as long as the executions. */
  executionPayloads?: string | null;
  /** Finished executions with their nodes and timelines. */
  executions?: string | null;
  "workflow-execution": QueueRetention;
  "workflow-node": QueueRetention;
  "workflow-scheduled": QueueRetention;
  "workflow-webhook": QueueRetention;
}

export type Role = "admin" | "operator" | "client" | "worker" | "viewer" | (string & {});

/** Options of a secret rotation. */
export interface RotateSecretRequest {
  /** How long the current secrets stay valid, up to 30d (default 24h). */
  overlap?: string | null;
  /** Purpose of the secret (default `signature`). */
  purpose?: WebhookSecretPurpose | null;
  /** New secret (default: generated, if the provider accepts any secret). */
  secret?: string;
}

/** An endpoint with a rotated secret. */
export interface RotatedSecret {
  /** The generated secret, shown only in this response. */
  secret?: string | null;
  /** The endpoint after the rotation. */
  webhook: Webhook;
}

/** A saved endpoint with its generated secrets. */
export interface SavedWebhook {
  createdAt: string;
  dedupe: WebhookDedupe;
  /** URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set. */
  fullUrl?: string | null;
  id: string;
  /** Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set. */
  lacksSecret: boolean;
  /** Configured maximum body size in bytes. */
  maxBody?: number | null;
  /** Effective maximum body size in bytes. */
  maxBodyEffective: number;
  name: string;
  paused: boolean;
  provider: WebhookProvider;
  /** Configured URL that the sender calls. */
  publicUrl?: string | null;
  rateLimit?: WebhookRateLimit | null;
  respondWith: number;
  scheme: WebhookScheme;
  /** Secrets without their values. Absent in lists. */
  secrets?: WebhookSecret[] | null;
  tenant: string;
  triggers: WebhookTrigger[];
  updatedAt: string;
  /** Path of the endpoint on the server. */
  url: string;
  /** Whether deliveries are verified: false for the provider `none`. */
  verified: boolean;
  /** Version, incremented by each change. */
  version: number;
  /** Warnings about valid but probably unintended values. */
  warnings: string[];
  /** The generated secret, shown only in this response. */
  secret?: string | null;
  /** The generated verify token, shown only in this response. */
  verifyToken?: string | null;
}

/** A schedule. */
export interface Schedule {
  /** First fire of the interval, from which all others are counted. */
  anchor?: string | null;
  catchUpWindow: string;
  createdAt: string;
  /** Cron expression; null where the schedule fires by an interval. */
  cron: string | null;
  /** Description of the expression in words. */
  description: string;
  endAt?: string | null;
  /** Interval between fires, in place of an expression. */
  every?: string | null;
  id: string;
  /** Input. Absent in lists. */
  input?: Json | null;
  jitter: string;
  misfire: Misfire;
  name: string;
  /** The next fire time; null while the schedule is paused or after its last fire. */
  nextRunAt: string | null;
  overlap: Overlap;
  paused: boolean;
  priority: Priority;
  startAt?: string | null;
  tenant: string;
  timezone: string;
  updatedAt: string;
  /** Warnings about valid but probably unintended values. */
  warnings: string[];
  workflow: string;
}

/** A schedule to save. */
export interface ScheduleRequest {
  /** First fire of the interval, from which all others are counted (default: the creation of the schedule). */
  anchor?: string | null;
  /** Maximum age of a missed fire that still runs (default `24h`). */
  catchUpWindow?: string | null;
  /**
   * Cron expression: minute, hour, day of month, month, day of week; or an alias such as `@daily`. Required without
   * `every`.
   */
  cron?: string | null;
  /** Last instant at which the schedule may fire. */
  endAt?: string | null;
  /** Interval between fires, at least `10s`, instead of `cron`. */
  every?: string | null;
  /** Execution input, validated against the workflow's schema (default: an empty object). */
  input?: Json;
  /** Maximum jitter of the start time; constant for each schedule. */
  jitter?: string | null;
  /** Policy for missed fires (default `latest`). */
  misfire?: Misfire | null;
  /** Unique within the tenant. */
  name: string;
  /** Policy while a previous execution still runs (default `skip`). */
  overlap?: Overlap | null;
  /** Whether the schedule is paused (default: false for a new one, unchanged for an existing one). */
  paused?: boolean | null;
  /** Priority (default `normal`). */
  priority?: Priority | null;
  /** First instant at which the schedule may fire. */
  startAt?: string | null;
  /** Tenant (default: the key's tenant, or `default`). It cannot change later. */
  tenant?: string | null;
  /** IANA time zone of the expression (default `UTC`). */
  timezone?: string | null;
  /** Workflow to start, in its latest version at each fire. */
  workflow: string;
}

/** A fire in the history of a schedule. */
export interface ScheduleRun {
  /** Execution that the fire started. */
  executionId?: string | null;
  /** When it was fired, queued, or skipped. */
  firedAt: string;
  /** Delay relative to the scheduled time. */
  lateMs: number;
  reason: FireReason;
  /** Scheduled time of the fire. */
  scheduledFor: string;
  /**
   * Reason for skipping the fire: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`,
   * `changed`, …
   */
  skipReason?: string | null;
  status: SlotStatus;
}

/** A secret without its value. */
export interface Secret {
  createdAt: string;
  /** Hosts that may receive the secret. */
  hosts: string[];
  name: string;
  /** Source of the value: `store`, `environment`, `file` or `vault`. */
  provider: string;
  /** Name of the environment variable or file, or path in the secret manager. */
  reference?: string | null;
  tenant: string;
  /** When its value, source or hosts last changed. */
  updatedAt: string;
}

/** A secret to store. One of `value`, `environment`, `file` and `vault`. */
export interface SecretRequest {
  /** Environment variable of the server, `TRUNKLINE_SECRET_…`. For keys that are not bound to a tenant. */
  environment?: string | null;
  /** File in the directory `secrets.directory`. For keys that are not bound to a tenant. */
  file?: string | null;
  /** Hosts that may receive the secret: names, `*.example.com` or addresses. */
  hosts: string[];
  /** The value, encrypted at rest and never shown again. */
  value?: string | null;
  /**
   * Path and field in the secret manager of the settings, such as `apps/stripe#token`. For keys that are not bound to a
   * tenant.
   */
  vault?: string | null;
}

/** An event that was sent. */
export interface SentEvent {
  /** True for a duplicate; absent otherwise. */
  deduplicated?: boolean | null;
  /** The delivery that stores the event; for a duplicate, the first one. */
  deliveryId: string;
}

/** Events that were sent, in order. */
export interface SentEvents {
  /** One result for each event, in order. */
  results: SentEvent[];
}

/** A process of the deployment. */
export interface Server {
  /** How far the clock of its machine is ahead of the database's, in milliseconds. */
  clockOffsetMs: number;
  id: string;
  lastSeenAt: string;
  roles: string[];
  startedAt: string;
  version: string;
}

/** The current caller. */
export interface Session {
  /** API key ID, `oidc:` and the subject of a token, or `loopback` for a local caller while no keys exist. */
  actor: string;
  /** CSRF token that mutating requests send in `X-CSRF-Token`. Only for sessions. */
  csrfToken?: string | null;
  /** Expiry time of the session. Only for sessions. */
  expiresAt?: string | null;
  /** Role of the caller. */
  role: Role;
  /** Tenant that the caller is bound to. */
  tenant?: string | null;
}

/** A signal. */
export interface SignalRequest {
  /** Payload (default null). It becomes the output of the node that receives the signal. */
  payload?: Json | null;
}

/** A silence. */
export interface Silence {
  createdAt: string;
  /** Who created it. */
  createdBy: string;
  id: string;
  labels: Record<string, string>;
  reason: string;
  rule?: string | null;
  until: string;
}

/** A silence. */
export interface SilenceRequest {
  /** Duration, such as `"2h"`. One of `for` and `until`. */
  for?: string | null;
  /** Only alerts with these labels. */
  labels?: Record<string, string>;
  /** Reason, shown with the silence. */
  reason: string;
  /** Only alerts of this rule. */
  rule?: string | null;
  /** End of the silence. */
  until?: string | null;
}

/** A timeline entry of a simulated execution. */
export interface SimulatedEvent {
  at: string;
  /** Additional message. */
  detail?: string | null;
  /** Stable code of the event. */
  kind: TimelineEventKind;
  nodeId?: string | null;
}

/** A round of a node of a simulated execution. */
export interface SimulatedNode {
  error?: JobError | null;
  finishedAt?: string | null;
  /** Input that its handler, child execution or person receives. */
  input?: Json | null;
  /** Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify[17]`. */
  nodeId: string;
  output?: Json | null;
  /** Number of times that the node had been started. */
  round: number;
  startedAt?: string | null;
  status: NodeStatus;
}

/** Something that a simulated execution waits for. */
export interface SimulatedWait {
  /** `result`, `child`, `signal`, `user_task`, `callback` or `event`. */
  awaits: string;
  /** Node ID; provide its result under this key. */
  nodeId: string;
  /** Name of the signal. */
  signal?: string | null;
}

/** The state in which a simulated execution ended or waits. */
export interface Simulation {
  /** Why it failed, if it did. */
  error?: ExecutionError | null;
  /** Each round of each node: first rounds that ended, in order, then rounds that wait or never started. */
  nodes: SimulatedNode[];
  /** The simulated time at that point. */
  now: string;
  /** Output, if it completed. */
  output?: Json | null;
  /** Status of the execution: `COMPLETED`, `FAILED` or `CANCELLED`; `RUNNING` or `COMPENSATING` if it waits. */
  status: ExecutionStatus;
  /** The timeline. */
  timeline: SimulatedEvent[];
  /** What it waits for; empty if it ended. */
  waitingFor: SimulatedWait[];
}

/** A simulation: a definition or a registered workflow, and what its nodes return. */
export interface SimulationRequest {
  /** The definition: an object, or its YAML as a string. It need not be registered. */
  definition?: Json;
  /** Events to deliver. An event ends the wait of every node that it matches. */
  events?: MockEvent[];
  /** Input, validated against the workflow's schema (default: an empty object). */
  input?: Json;
  /** Start time of the run (default: now). */
  now?: string | null;
  /**
   * Results by node ID, one for each round of the node, in order. Results of a `MAP` apply to its items; a single
   * item is `notify[3]`, a compensation is `charge:compensate`.
   */
  results?: Record<string, MockResult[]>;
  /** Signals to send. */
  signals?: MockSignal[];
  /** Tenant of the registered workflow (default: the key's tenant, or `default`). */
  tenant?: string | null;
  /** Version of the registered workflow (default: the latest). */
  version?: number | null;
  /** Name of a registered workflow, instead of a definition. */
  workflow?: string | null;
}

export type SlotStatus = "fired" | "waiting" | "skipped" | (string & {});

/** The location of a node in a program. */
export interface SourcePlace {
  /** Column, from 1. */
  column?: number | null;
  /** Path of the file. */
  file: string;
  /** Line, from 1. */
  line: number;
}

/** Source places of a version. */
export interface SourceRequest {
  /** Places by node ID. */
  nodes: Record<string, SourcePlace>;
}

/** A signal to send with the start of an execution. */
export interface StartSignal {
  /** Signal name. */
  name: string;
  /** Payload (default: null). */
  payload?: Json;
}

/** The figures for one minute or one hour. Durations are in milliseconds, interpolated within histogram buckets. */
export interface StatPoint {
  /** Start of the minute or hour. */
  at: string;
  /** Attempts that started. */
  claimed: number;
  /** Jobs that completed. */
  completed: number;
  /** Jobs that became dead letters. */
  deadLettered: number;
  /** Median time of jobs (with `queue=workflow-execution`: of executions) from creation to end; null if none ended. */
  endToEndP50?: number | null;
  endToEndP95?: number | null;
  endToEndP99?: number | null;
  /** Jobs that were enqueued. */
  enqueued: number;
  /** Attempts that failed, including final ones. */
  failed: number;
  /** Age of the oldest queued job at the last count. */
  oldestAgeMs: number;
  /** Leased jobs at the last count. */
  processing: number;
  /** Queued jobs at the last count. */
  queued: number;
  /** Median run time of attempts; null if none ended. An attempt of an execution ends when the execution is parked or ends. */
  runP50?: number | null;
  runP95?: number | null;
  runP99?: number | null;
  /** Median wait from claimable to claimed; null if no job was claimed. */
  waitP50?: number | null;
  waitP95?: number | null;
  waitP99?: number | null;
}

/** Queue figures over time. */
export interface Stats {
  /** One point per minute or hour, oldest first. */
  series: StatPoint[];
  /** `1m` or `1h`. */
  step: string;
}

/** A stored log line. */
export interface StoredLogLine {
  at: string;
  /** The attempt, from 1. */
  attempt: number;
  /** Structured fields: an object. Absent for callers that may not see payloads. */
  fields?: Record<string, Json> | null;
  jobId: string;
  level: LogLevel;
  /** Number of the line in its attempt, from 1. */
  line: number;
  /** Absent for callers that may not see payloads. */
  message?: string | null;
  nodeId?: string | null;
}

/** A completion. */
export interface Suggestion {
  /** How often it occurred recently. */
  count?: number | null;
  detail?: string | null;
  /** `key` or `value`. */
  kind: string;
  text: string;
}

/** Completions for a part of a query. */
export interface Suggestions {
  /** Start of the replaced part, in characters from 0. */
  from: number;
  items: Suggestion[];
  /** End of the replaced part, exclusive. */
  to: number;
}

/** A tenant. */
export interface Tenant {
  /** When it was first used. Absent in the response to its creation. */
  createdAt?: string | null;
  name: string;
}

/** The encryption of a tenant. */
export interface TenantEncryption {
  /** Whether payloads are encrypted from now on. Payloads that are already stored do not change. */
  enabled: boolean;
  /** Keys of the tenant, newest first. */
  keys: PayloadKey[];
}

/** A tenant to erase. */
export interface TenantErasure {
  /** Whether unfinished jobs and executions are cancelled, without compensation (default false). */
  cancelOpen?: boolean;
  /** The name of the tenant, repeated as a confirmation. */
  confirm: string;
}

/** The effective quotas. */
export interface TenantQuotas {
  apiKeys?: number | null;
  definitionBytes?: number | null;
  deliveryBytes?: number | null;
  historyRows?: number | null;
  /** Quota of each API key. */
  idempotencyKeys?: number | null;
  logBytes?: number | null;
  openExecutions?: number | null;
  openJobs?: number | null;
  payloadBytes?: number | null;
  schedules?: number | null;
  waitingStartBytes?: number | null;
  webhooks?: number | null;
  workflowVersions?: number | null;
}

/** Quotas to change: a number, `"unlimited"`, or null for the default. */
export interface TenantQuotasRequest {
  /** API keys, at most 1,000,000. */
  apiKeys?: Json;
  /** Bytes of workflow versions, schedule inputs and webhook configurations. */
  definitionBytes?: Json;
  /** Bytes of deliveries that are kept. */
  deliveryBytes?: Json;
  /** Rows of history that are kept. */
  historyRows?: Json;
  /** Idempotency keys of each API key. */
  idempotencyKeys?: Json;
  /** Bytes of stored log lines of jobs. */
  logBytes?: Json;
  /** Executions that have not ended. */
  openExecutions?: Json;
  /** Jobs that have not ended. */
  openJobs?: Json;
  /** Bytes of payloads that are kept. */
  payloadBytes?: Json;
  /** Schedules, at most 1,000,000. */
  schedules?: Json;
  /** Bytes of waiting starts of triggers. */
  waitingStartBytes?: Json;
  /** Webhooks, at most 1,000,000. */
  webhooks?: Json;
  /** Workflow versions, at most 1,000,000. */
  workflowVersions?: Json;
}

/** A tenant to create. */
export interface TenantRequest {
  /** The name, unique. */
  name: string;
}

/** The usage of a tenant. */
export interface TenantUsage {
  /** API keys that are bound to the tenant, including revoked ones. */
  apiKeys: UsageFigure;
  /** When the usage was counted. A large `historyRows` is counted again after at most a minute. */
  asOf: string;
  /** Bytes of workflow versions, schedule inputs and webhook configurations. */
  definitionBytes: UsageFigure;
  /** Bytes of stored webhook deliveries: each counts its body plus 4 KiB. */
  deliveryBytes: UsageFigure;
  /** Finished jobs and executions within their retention. */
  historyRows: UsageFigure;
  /** Responses stored for idempotency keys. */
  idempotencyKeys: UsageFigure;
  /** Bytes of stored log lines of jobs: each counts its message, its fields and 128 bytes. */
  logBytes: UsageFigure;
  /** Unfinished executions. */
  openExecutions: UsageFigure;
  /** Unfinished jobs. */
  openJobs: UsageFigure;
  /** Bytes of payloads of unfinished jobs and inputs of unfinished executions. */
  payloadBytes: UsageFigure;
  /** Schedules. */
  schedules: UsageFigure;
  /** Starts of jobs on `workflow-node`, retries included. */
  starts: RecentFigure;
  tenant: string;
  /** Bytes of waiting starts of triggers: inputs and gathered events, and 1 KiB for each start. */
  waitingStartBytes: UsageFigure;
  /** Webhooks. */
  webhooks: UsageFigure;
  /** Seconds that attempts of jobs on `workflow-node` ran, by when they ended. */
  workerSeconds: RecentFigure;
  /** Workflow versions of the tenant, without shared workflows. */
  workflowVersions: UsageFigure;
}

/** A test delivery. */
export interface TestedWebhook {
  deliveryId: string;
  /** Event type of the test delivery. */
  eventType?: string | null;
}

/** Limits the number of starts in any period. Further starts are delayed. */
export interface Throttle {
  /** Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger). */
  key?: string | null;
  /** Starts per period. */
  rate: Json;
}

/** A change of the time of a development server. */
export interface TimeMoveRequest {
  /** How far to advance the time, through all timers, retries and schedules in between. */
  advance?: string | null;
  /** Whether time skips forward automatically from now on. */
  skip?: boolean | null;
}

/** A timeline entry of an execution. */
export interface TimelineEvent {
  at: string;
  /** Additional message. */
  detail?: string | null;
  /** Stable code of the event. */
  kind: TimelineEventKind;
  nodeId?: string | null;
  position: number;
}

export type TimelineEventKind = "execution_started" | "execution_retried" | "execution_compensating" | "execution_completed" | "execution_failed" | "execution_cancelled" | "node_started" | "node_waiting" | "node_repeated" | "node_requeued" | "node_completed" | "node_skipped" | "node_failed" | "node_child_failed" | "node_cancelled" | "node_compensated" | "compensation_failed" | "signal_received" | "user_task_escalated" | (string & {});

/** What started an execution. */
export interface Trigger {
  /** `user`, `schedule`, `webhook`, `event` or `parent`. */
  kind: string;
}

export type UniquePolicy = "join" | "reject" | "replace" | "queue" | (string & {});

/** Usage and quota of a resource. */
export interface UsageFigure {
  /**
   * False while a large `historyRows` is still being counted, and if `logBytes` takes long to count: `used` is a lower
   * bound then.
   */
  exact: boolean;
  /** Quota; null is unlimited. For idempotency keys, the quota applies to each API key. */
  quota?: number | null;
  /** Current usage. */
  used: number;
}

/** A user task. */
export interface UserTask {
  /** Assignee. */
  assignee?: string | null;
  /** When it was claimed. */
  claimedAt?: string | null;
  /** User who has claimed the task, or the ID of an API key without a user. */
  claimedBy?: string | null;
  /** When the task was closed. */
  closedAt?: string | null;
  /** ID of the API key that completed the task. */
  completedBy?: string | null;
  /** Due time. */
  dueAt?: string | null;
  /** When the task was escalated. */
  escalatedAt?: string | null;
  executionId: string;
  /** JSON Schema of the output. */
  form?: Json | null;
  /** Candidate group. */
  group?: string | null;
  /** Input of the task, shown to the user. Lists omit inputs above 4 KiB; read the task instead. */
  input?: Json | null;
  nodeId: string;
  /** The input, if it is larger than `maxPayload` and therefore null here. */
  omitted?: OmittedPayload[];
  openedAt: string;
  /** Round of the node, from 1; a retry or a `repeat` creates a new task. */
  round: number;
  status: UserTaskStatus;
  tenant: string;
  workflow: string;
}

/** The output of a user task. */
export interface UserTaskCompletion {
  /** Validated against the task's form (default null). It becomes the output of the node. */
  output?: Json | null;
  /** Round of the node (default: the latest). */
  round?: number | null;
}

/** Round of a user task. */
export interface UserTaskRound {
  /** Round of the node (default: the latest). */
  round?: number | null;
}

export type UserTaskStatus = "open" | "completed" | "timed_out" | "cancelled" | (string & {});

/** A valid definition that was not registered. */
export interface ValidatedWorkflow {
  /** SHA-256 (hex) of the definition as JSON with sorted keys. */
  contentHash: string;
  name: string;
  /** Always true; an invalid definition returns status 422. */
  valid: boolean;
  version: number;
  /** Warnings. */
  warnings?: Fault[];
}

/** A saved view of a list. */
export interface View {
  columns: string[];
  createdAt: string;
  id: string;
  list: string;
  name: string;
  order?: string | null;
  /** Whether the caller saved it. */
  own: boolean;
  /** Who saved it. */
  owner: string;
  q: string;
  shared: boolean;
  sort?: string | null;
  updatedAt: string;
}

/** A view to save. */
export interface ViewRequest {
  /** Columns, in order; at most 50. */
  columns?: string[];
  /** The list, as in its path, such as `jobs`. */
  list: string;
  /** Name, up to 100 characters. */
  name: string;
  /** `asc` or `desc`. */
  order?: string | null;
  /** Query (default: everything). */
  q?: string | null;
  /** Whether the view is visible to others who can see the same data. */
  shared?: boolean;
  /** Instant to sort by. */
  sort?: string | null;
}

/** A webhook endpoint. */
export interface Webhook {
  createdAt: string;
  dedupe: WebhookDedupe;
  /** URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set. */
  fullUrl?: string | null;
  id: string;
  /** Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set. */
  lacksSecret: boolean;
  /** Configured maximum body size in bytes. */
  maxBody?: number | null;
  /** Effective maximum body size in bytes. */
  maxBodyEffective: number;
  name: string;
  paused: boolean;
  provider: WebhookProvider;
  /** Configured URL that the sender calls. */
  publicUrl?: string | null;
  rateLimit?: WebhookRateLimit | null;
  respondWith: number;
  scheme: WebhookScheme;
  /** Secrets without their values. Absent in lists. */
  secrets?: WebhookSecret[] | null;
  tenant: string;
  triggers: WebhookTrigger[];
  updatedAt: string;
  /** Path of the endpoint on the server. */
  url: string;
  /** Whether deliveries are verified: false for the provider `none`. */
  verified: boolean;
  /** Version, incremented by each change. */
  version: number;
  /** Warnings about valid but probably unintended values. */
  warnings: string[];
}

/** Deduplication of deliveries. */
export interface WebhookDedupe {
  /** Deduplication key (default `auto`: the provider's ID if it is signed, else its ID with the body, else the body). */
  on?: Json;
  /** Deduplication window, 1m to 30d (default: the provider's retry period, at least 24h). */
  window?: string | null;
}

export type WebhookProvider = "github" | "stripe" | "slack" | "shopify" | "standard" | "svix" | "twilio" | "linear" | "gitlab" | "square" | "zoom" | "discord" | "pagerduty" | "paddle" | "meta" | "hubspot" | "sendgrid" | "razorpay" | "hmac" | "none" | (string & {});

/** A rate limit. */
export interface WebhookRateLimit {
  /** Burst size (default: `requests`). */
  burst?: number | null;
  /** Time window. */
  per: string;
  /** Number of requests. */
  requests: number;
}

/** An endpoint to save. */
export interface WebhookRequest {
  /** Deduplication of deliveries. */
  dedupe?: WebhookDedupe | null;
  /** Maximum body size, up to 25MiB: bytes, or text such as `1MiB` (default: the server's setting). */
  maxBody?: string;
  /** Unique within the tenant. */
  name: string;
  /** Whether the endpoint is paused (default: false for a new one, unchanged for an existing one). */
  paused?: boolean | null;
  /** Provider. `none` verifies nothing. */
  provider: WebhookProvider;
  /** Exact URL that the sender calls. Required if the provider signs the URL. */
  publicUrl?: string | null;
  /** Rate limit. Excess requests are held up to a server limit; beyond it they get 429. */
  rateLimit?: WebhookRateLimit | null;
  /** Status code of responses to accepted deliveries: 200, 202 (default) or 204. */
  respondWith?: number | null;
  /** Signature scheme, if it differs from the provider's default. */
  scheme?: WebhookScheme | null;
  /**
   * Signing secrets, or public keys of the provider. Never shown again. Default: a generated secret for a new
   * endpoint whose provider accepts any secret; unchanged for an existing one.
   */
  secrets?: string[];
  /** Tenant (default: the key's tenant, or `default`). It cannot change later. */
  tenant?: string | null;
  /** Triggers that start workflows. */
  triggers?: WebhookTrigger[];
  /** Verify token of Meta subscriptions. Never shown again. */
  verifyToken?: string;
  /** Expected current version of the endpoint; the update is rejected if it differs. Not allowed for a new endpoint. */
  version?: number | null;
}

/** How requests are signed. The provider `hmac` supports all fields and requires `header`; other providers support only `tolerance` and `eventType`. */
export interface WebhookScheme {
  /** HMAC algorithm (default `sha256`). */
  algorithm?: string;
  /** Encoding of the signature (default `hex`). */
  encoding?: string;
  /** Location of the event type: `header:<name>` or `field:<JSON pointer>`. */
  eventType?: string;
  /** Header that contains the signature. */
  header?: string;
  /** Header that contains the signed ID. */
  idHeader?: string;
  /** Separator of multiple signatures. */
  listSeparator?: string;
  /** Prefix of each signature, such as `sha256=`. */
  prefix?: string;
  /** Encoding of the secret (default `text`). */
  secretEncoding?: string;
  /** Template of the signed content over {id}, {timestamp}, {url}, {method} and {body} (default `{body}`). */
  signedContent?: string;
  /** Header that contains the signed timestamp. */
  timestampHeader?: string;
  /** Prefix of the signed timestamp in the signature header, such as `t=`. */
  timestampItem?: string;
  /** Unit of the timestamp (default `s`). */
  timestampUnit?: string;
  /** Maximum clock difference of the signed timestamp, 1s to 24h (default 5m). */
  tolerance?: string;
}

/** A secret of an endpoint, without its value. */
export interface WebhookSecret {
  createdAt: string;
  /** Expiry time; absent for the current secret. */
  expiresAt?: string | null;
  id: string;
  /** Whether the server has the encryption key of the secret. */
  openable: boolean;
  purpose: WebhookSecretPurpose;
}

export type WebhookSecretPurpose = "signature" | "verifyToken" | (string & {});

/** A trigger that starts a workflow. */
export interface WebhookTrigger {
  /**
   * Starts one execution for several events. In `input`, only `batch` is in scope:
   * a list of `{event, body, delivery}`.
   */
  batch?: BatchOfEvents | null;
  /** Starts one execution with the input of the last event, after a period without events. */
  debounce?: Debounce | null;
  /** Event types to match, such as `push` or `issue.*` (default: all). */
  events?: string[];
  /** CEL condition over `body`, `headers`, `event`, `query` and `delivery`. */
  filter?: string | null;
  /** Trigger ID, unique within the endpoint (default: derived from the workflow name). */
  id?: string | null;
  /** Execution input, with `${…}` expressions in strings (default: the body). */
  input?: Json;
  /** Priority (default `high`). */
  priority?: Priority | null;
  /** Limits the number of starts in any period. Further starts are delayed. */
  throttle?: Throttle | null;
  /** Workflow version (default: the latest). */
  version?: number | null;
  /** Workflow to start. */
  workflow: string;
}

/** Why a job is not running. */
export interface Why {
  /** Earliest instant at which the rate can admit the job: a lower bound. */
  canStartAt?: string | null;
  /** Explanation. */
  detail: string;
  /** What allows the job to run. */
  freesWhen?: string | null;
  /** Jobs that use the limit, at most ten. */
  holders?: string[] | null;
  /** The exhausted limit. */
  limit?: number | null;
  /** Number of jobs ahead in the same lane. */
  rank?: number | null;
  /** The rate that the job waits for. */
  rate?: Json | null;
  reason: WhyReason;
  /** Current usage of the limit. */
  running?: number | null;
}

export type WhyReason = "not_due" | "queue_paused" | "unique_key" | "limit_global" | "limit_tenant" | "limit_workflow" | "limit_job_type" | "limit_tenant_job_type" | "limit_rate_key" | "limit_key" | "rate_global" | "rate_tenant" | "rate_workflow" | "rate_job_type" | "rate_tenant_job_type" | "rate_key" | "dispatch_draining" | "no_relay" | "broker_away" | "topic_not_created" | "not_acknowledged" | "offered" | "no_worker" | "no_worker_of_build" | "behind" | "waiting" | "running" | "finished" | (string & {});

/** A node that a delivery woke. */
export interface WokenNode {
  executionId: string;
  nodeId: string;
}

/** A recently active worker. */
export interface Worker {
  /** Build that it runs, if it reports one. */
  build?: string | null;
  /** Whether it is being drained: it receives no more jobs and is asked to exit. */
  draining: boolean;
  firstSeenAt: string;
  id: string;
  jobTypes: string[];
  /** `external`, or `pool` for Trunkline's own workers. */
  kind: string;
  lastSeenAt: string;
  /** Number of leased jobs. */
  leased: number;
  /**
   * Maximum number of jobs that it has requested at once; for Trunkline's own workers, their concurrency. Absent for
   * workers that receive jobs only through Kafka.
   */
  slots?: number | null;
  /** Tenant that the worker's key is bound to. */
  tenant?: string | null;
}

/** One version of a workflow. */
export interface Workflow {
  /** SHA-256 (hex) of the definition as JSON with sorted keys. */
  contentHash: string;
  createdAt: string;
  /** Definition. Absent in lists. */
  definition?: Json | null;
  /** `limits.maxConcurrent` of the definition. */
  maxConcurrent?: number | null;
  name: string;
  /** Policy for new executions while the workflow is paused. */
  newRuns?: NewRuns | null;
  /** Whether the workflow is paused. */
  paused: boolean;
  /** Location of each node in the program that the version was compiled from, by node ID. Absent in lists. */
  source?: Record<string, SourcePlace> | null;
  /** Tenant that owns the workflow; absent for a shared workflow. */
  tenant?: string | null;
  version: number;
  /** Warnings. Only in the response to a registration. */
  warnings?: Fault[];
}

/** The mode of a workflow. */
export interface WorkflowMode {
  name: string;
  /** Policy for new executions while the workflow is paused. */
  newRuns?: NewRuns | null;
  /** Whether the workflow is paused. */
  paused: boolean;
}
