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
/** What became of each item of a batch, in order. */
export interface BatchResults<T> {
  results: T[];
}

/** An API key without its secret. */
export interface ApiKey {
  createdAt: string;
  /** From when on it no longer works. */
  expiresAt?: string | null;
  /** The groups that it belongs to. */
  groups?: string[];
  id: string;
  /** When it was last used, to about a minute. */
  lastUsedAt?: string | null;
  name: string;
  /** From where it may be used; from everywhere where absent. */
  networks?: string[];
  /** Whether answers to it hold payloads. */
  payloads: boolean;
  /** The person that it stands for. */
  person?: string | null;
  /** The first characters of the secret, to tell keys apart. */
  prefix: string;
  /** Until when the secret of before the last rotation holds. */
  previousUntil?: string | null;
  revokedAt?: string | null;
  role: Role;
  /** When its secret was last changed. */
  rotatedAt?: string | null;
  /** What it may do of what its role may; all of it where absent. */
  scopes?: KeyScope[] | null;
  tenant?: string | null;
}

/** An API key to make. */
export interface ApiKeyRequest {
  /** From when on it no longer works. */
  expiresAt?: string | null;
  /** The groups that it belongs to, as user tasks name them. */
  groups?: string[];
  /** What people call it. */
  name: string;
  /** Networks and addresses that it may be used from, such as `10.0.0.0/8`; from everywhere where there are none. */
  networks?: string[];
  /**
   * Whether answers to it hold payloads (data, results, inputs, outputs, bodies). Where absent, those to a key that can
   * only read do not.
   */
  payloads?: boolean | null;
  /** The person that it stands for, as user tasks name people. */
  person?: string | null;
  /** What it may do. */
  role: Role;
  /** What it may do of what its role may; all of it where absent. */
  scopes?: KeyScope[] | null;
  /** The tenant that it is bound to; none where absent. */
  tenant?: string | null;
}

/** Why a dead letter is archived. */
export interface ArchiveRequest {
  /** Kept with it. */
  reason: string;
}

/** One attempt of a job. */
export interface Attempt {
  /** From 1. */
  attemptNumber: number;
  durationMs?: number | null;
  error?: JobError | null;
  finishedAt?: string | null;
  startedAt: string;
  /** `PROCESSING`, `COMPLETED`, `FAILED`, `WORKER_LOST`, `TIMED_OUT` or `CANCELLED`. */
  status: string;
  workerId: string;
}

/** A line of the audit log. */
export interface AuditLine {
  /** What was done. */
  action: string;
  /** A key's id, `loopback` or `system`. */
  actor: string;
  /** Where the call came from. */
  address?: string | null;
  at: string;
  detail?: Json | null;
  id: string;
  /** The id of the request. */
  requestId?: string | null;
  /** To what. */
  subject: string;
  tenant?: string | null;
  /** What its client called itself. */
  userAgent?: string | null;
}

/** What a backfill did. */
export interface Backfill {
  /** How many slots were left alone. */
  skipped: number;
  /** How many slots the span has. */
  slots: number;
  /** How many executions were started. */
  started: number;
}

/** A past span. */
export interface BackfillRequest {
  /** Its first instant. */
  from: string;
  /** Its last instant, not in the future. The span may have at most 1,000 slots. */
  to: string;
}

/** The waits between tries: `initial`, `initial × factor`, … up to `max`. */
export interface Backoff {
  /** By how much each wait is longer than the one before. */
  factor?: number;
  /** The wait before the first retry. */
  initial?: string;
  /** Whether waits are spread. */
  jitter?: boolean;
  /** The longest wait. */
  max?: string;
}

/** A bulk operation. */
export interface Batch {
  createdAt: string;
  /** How many are done. */
  done: number;
  /** How many could not be done. */
  failed: number;
  id: string;
  /** What it does: `dead_letters.requeue` or `dead_letters.archive`. */
  kind: string;
  /** `running`, `completed`, `aborted` or `failed`. */
  status: string;
  /** How many items matched. */
  total: number;
  updatedAt: string;
}

/** What became of one item. */
export interface BatchResultCreatedExecution {
  /** Whether it was there already; absent when it is new. */
  existing?: boolean | null;
  id?: string;
  /** Its job on `workflow-execution`. */
  jobId?: string;
  /** The job's place: smaller positions of a lane are served first. */
  position?: number;
  status?: ExecutionStatus;
  /** Why. */
  error?: Problem;
}

/** What became of one item. */
export interface BatchResultEnqueued {
  /** Whether an unfinished job with the same unique key was there already; absent when it is new. */
  existing?: boolean | null;
  /** Its id. */
  id?: string;
  /** Its place: smaller positions of a lane are served first. */
  position?: number;
  /** Its status. */
  status?: JobStatus;
  /** Why. */
  error?: Problem;
}

/** Dead letters to archive. */
export interface BulkArchiveRequest {
  /** Says that an empty filter is meant. */
  all?: boolean;
  /** Only counts them. */
  dryRun?: boolean;
  /** Which ones. An empty filter needs `all`. */
  filter?: DeadLetterFilter;
  /** How many at most. */
  limit?: number | null;
  /** How fast. */
  ratePerSecond?: number | null;
  /** Kept with each. Required unless it is a dry run. */
  reason?: string;
  /** Stops when more than this share cannot be archived, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** How many a dry run would have touched. */
export interface BulkCount {
  count: number;
}

/** Deliveries to replay. */
export interface BulkReplayRequest {
  /** Says that an empty filter is meant. */
  all?: boolean;
  /** Whether triggers that have started their workflows do so again. */
  allTriggers?: boolean;
  /** Only counts them. */
  dryRun?: boolean;
  /** Which ones. An empty filter needs `all`. */
  filter?: DeliveryFilter;
  /** How many at most. */
  limit?: number | null;
  /** How fast. */
  ratePerSecond?: number | null;
}

/** Dead letters to requeue. */
export interface BulkRequeueRequest {
  /** Says that an empty filter is meant. */
  all?: boolean;
  /** Another payload for each. */
  data?: Json;
  /** Only counts them. */
  dryRun?: boolean;
  /** Which ones. An empty filter needs `all`. */
  filter?: DeadLetterFilter;
  /** How many at most. */
  limit?: number | null;
  /** How often each is tried again from now on. */
  maxRetries?: number | null;
  priority?: Priority | null;
  /** How fast. */
  ratePerSecond?: number | null;
  /** Stops when more than this share of the requeued jobs fails again, from 0 to 1. */
  stopOnFailureRate?: number | null;
}

/** How an execution is cancelled. */
export interface CancelRequest {
  /** Whether what completed is undone first, by the `compensate` of its nodes. */
  compensate?: boolean;
  /** For the timeline. */
  reason?: string | null;
}

/** A change. */
export interface ChangeEvent {
  /** Whether the execution ended. */
  ended?: boolean | null;
  /** The execution that changed. */
  executionId?: string | null;
  /** `queue`, `execution`, `settings`, or `resync` when changes were missed and everything is to be read again. */
  kind: string;
  /** The queue whose jobs or slots changed. */
  queue?: QueueName | null;
}

/** A command that was sent to an execution. */
export interface Command {
  executionId: string;
  /** What it asks for, such as `cancel` or `retry`. */
  intent: string;
  position: number;
  /** Why it was refused. */
  reason?: string | null;
  /** `pending`, `applied` or `refused`. */
  status: string;
  /** The step of the execution that applied or refused it, counted from 1. */
  step?: number | null;
}

/** A command was noted. */
export interface CommandAccepted {
  /** Where to look what became of it: `/v1/commands/{position}`. */
  commandPosition: number;
}

/** A job that was done. */
export interface Completion {
  id: string;
  leaseToken: string;
  /** What the handler returned. */
  result?: Json;
}

/** An accepted execution. */
export interface CreatedExecution {
  /** Whether it was there already; absent when it is new. */
  existing?: boolean | null;
  id: string;
  /** Its job on `workflow-execution`. */
  jobId: string;
  /** The job's place: smaller positions of a lane are served first. */
  position: number;
  status: ExecutionStatus;
}

/** A job that failed for good. */
export interface DeadLetter {
  archiveReason?: string | null;
  /** How many attempts it took. */
  attemptCount: number;
  /** The attempts, oldest first. Not in lists. */
  attempts?: Attempt[] | null;
  /** The payload with which it died. Not in lists where it has more than 4 KiB: ask for the dead letter. */
  data?: Json | null;
  diedAt: string;
  /** The last error. */
  error: JobError;
  executionId?: string | null;
  /** Groups failures of the same kind. */
  fingerprint: string;
  id: string;
  jobId: string;
  jobType: string;
  nodeId?: string | null;
  priority: Priority;
  queue: QueueName;
  /** Why it died. */
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
  /** Its job, which keeps its id. */
  jobId: string;
  status: DeadLetterStatus;
}

/** Which dead letters are meant. Absent fields match everything; only open ones are ever changed. */
export interface DeadLetterFilter {
  fingerprint?: string | null;
  /** Died at or after this instant. */
  from?: string | null;
  jobType?: string | null;
  queue?: QueueName | null;
  reason?: DeadReason | null;
  status?: DeadLetterStatus | null;
  tenant?: string | null;
  /** Died before this instant. */
  to?: string | null;
  workflow?: string | null;
}

/** Dead letters of the same kind. */
export interface DeadLetterGroup {
  /** How many are open. */
  count: number;
  /** The error of the newest. */
  error: JobError;
  fingerprint: string;
  firstAt: string;
  jobType: string;
  lastAt: string;
}

export type DeadLetterStatus = "open" | "requeued" | "archived" | (string & {});

export type DeadReason = "retries_exhausted" | "non_retryable" | "worker_lost" | "timeout" | (string & {});

/** A request that came to an endpoint. */
export interface Delivery {
  /** The exact body, as `bodyEncoding` says. Not in lists, nor where it is not kept. */
  body?: string | null;
  /** How long the body was, also where it is not kept. */
  bodyBytes: number;
  /** `text` if the body is UTF-8, else `base64`. */
  bodyEncoding?: string | null;
  /** A command line that sends it again, without what was redacted. Not in lists. */
  curl?: string | null;
  /** The delivery that it repeats. */
  duplicateOf?: string | null;
  /** What the provider calls the event. */
  eventType?: string | null;
  /** What it started. */
  executions: string[];
  /** Names and values in order; signatures, tokens and cookies redacted. Not in lists. */
  headers?: string[][] | null;
  id: string;
  /** Its job on `workflow-webhook`. */
  jobId?: string | null;
  method: string;
  /** When the triggers were matched. */
  processedAt?: string | null;
  /** The provider's id of the event. */
  providerEventId?: string | null;
  /** Why it was rejected or parked. */
  reason?: string | null;
  receivedAt: string;
  remoteAddress?: string | null;
  /** The delivery that it replays. */
  replayOf?: string | null;
  /** The secret that verified it. */
  secretId?: string | null;
  status: DeliveryStatus;
  /** Path and query, values of telling names redacted. */
  target: string;
  tenant: string;
  traceparent?: string | null;
  /** What each trigger came to. Not in lists, nor before it was matched. */
  triggers?: DeliveryTriggerOutcome[] | null;
  webhookId: string;
}

/**
 * Which deliveries are meant. Absent fields match everything; only those that were verified and not repetitions are
 * ever replayed.
 */
export interface DeliveryFilter {
  /** What the provider calls the event. */
  eventType?: string | null;
  /** Received at or after this instant. */
  from?: string | null;
  status?: DeliveryStatus | null;
  tenant?: string | null;
  /** Received before this instant. */
  to?: string | null;
  webhookId?: string | null;
}

export type DeliveryStatus = "accepted" | "held" | "matched" | "unmatched" | "parked" | "duplicate" | "rejected" | "handshake" | (string & {});

/** Why a trigger could not decide or start. */
export interface DeliveryTriggerError {
  /** A stable word, such as `filter_failed`. */
  code: string;
  /** A sentence. */
  message: string;
}

/** What a trigger came to. */
export interface DeliveryTriggerOutcome {
  error?: DeliveryTriggerError | null;
  executionId?: string | null;
  /** `started`, `no_match` or `error`. */
  result: string;
  triggerId: string;
  workflow: string;
}

/** An accepted job. */
export interface Enqueued {
  /** Whether an unfinished job with the same unique key was there already; absent when it is new. */
  existing?: boolean | null;
  /** Its id. */
  id: string;
  /** Its place: smaller positions of a lane are served first. */
  position: number;
  /** Its status. */
  status: JobStatus;
}

/** An execution. */
export interface Execution {
  completedAt?: string | null;
  correlationId?: string | null;
  createdAt: string;
  error?: ExecutionError | null;
  id: string;
  /** Not in lists. */
  input?: Json | null;
  jobId: string;
  /** Once it is COMPLETED. Not in lists. */
  output?: Json | null;
  /** The execution that it is a child of. */
  parent?: Parent | null;
  priority: Priority;
  startedAt?: string | null;
  status: ExecutionStatus;
  tags?: string[];
  tenant: string;
  traceparent?: string | null;
  trigger: Trigger;
  version: number;
  workflow: string;
}

/** Executions to start in one commit. */
export interface ExecutionBatch {
  /** The executions, at most 10,000. */
  executions: ExecutionRequest[];
  /** Whether valid executions are accepted beside invalid ones; otherwise it is all or nothing. */
  partial?: boolean;
}

/** Why an execution failed. */
export interface ExecutionError {
  code?: string | null;
  message: string;
  /** The node that failed. */
  node?: string | null;
}

/** An execution to start. */
export interface ExecutionRequest {
  /** Whatever the caller knows it by. */
  correlationId?: string | null;
  /** The input, checked against the workflow's schema; an empty object where absent. */
  input?: Json;
  /** `high` where absent. */
  priority?: Priority | null;
  /** Words to find it by. */
  tags?: string[];
  /** The key's own tenant, or `default`, where absent. */
  tenant?: string | null;
  /** W3C trace context, carried to the workers. Goes before the header of that name. */
  traceparent?: string | null;
  /** The latest where absent. */
  version?: number | null;
  /** The workflow's name. */
  workflow: string;
}

export type ExecutionStatus = "PENDING" | "RUNNING" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED" | "COMPENSATING" | (string & {});

/** Why an execution does not go on. */
export interface ExecutionWhy {
  /** A sentence. */
  detail: string;
  /** Why its own job does not run, where that is what it waits for. */
  job?: Why | null;
  /**
   * `finished`, `waiting` (see `waitsFor`), `running`, or, where nobody can take it up, why its own job does not run,
   * such as `limit_workflow`.
   */
  reason: string;
  status: ExecutionStatus;
  /** What its nodes wait for, in the order of the definition, at most a hundred. */
  waitsFor: NodeWait[];
}

/** A job that failed. */
export interface Failure {
  /** What went wrong: an object, or just its message. */
  error: JobError;
  id: string;
  leaseToken: string;
  /** How long to wait before the next try, in place of the backoff. */
  retryAfter?: string | null;
  /** Whether another try could help; true where absent. */
  retryable?: boolean | null;
}

/** One fault of an invalid request. */
export interface Fault {
  /** What is wrong and what would be right. */
  message: string;
  /** A JSON pointer into the body, or `/` and the name of the query parameter. */
  pointer: string;
}

export type FireReason = "tick" | "catchup" | "backfill" | "manual" | (string & {});

/** How the server is. */
export interface Health {
  /** `ok` or `ready`. */
  status: string;
}

/** A lease to renew. */
export interface Heartbeat {
  /** How much longer from now on; as long as it was claimed for where absent. */
  extend?: string | null;
  id: string;
  leaseToken: string;
  /** How far it is, shown to whoever looks at the job. */
  progress?: Json;
}

/** A job. */
export interface Job {
  /** Its attempts, oldest first. Not in lists. */
  attempts?: Attempt[] | null;
  backoff: Backoff;
  completedAt?: string | null;
  concurrencyKey?: string | null;
  createdAt: string;
  /** The payload. Not in lists where it has more than 4 KiB: ask for the job. */
  data?: Json | null;
  /** The last error. */
  error?: JobError | null;
  executionId?: string | null;
  id: string;
  jobType: string;
  /** The end of its lease, while it is leased. */
  leaseExpiresAt?: string | null;
  maxRetries: number;
  nodeId?: string | null;
  /** Its place in its lane. */
  position: number;
  priority: Priority;
  /** When the last attempt started. */
  processedAt?: string | null;
  /** What the worker last said of how far it is. */
  progress?: Json | null;
  queue: QueueName;
  result?: Json | null;
  retryCount: number;
  /** When it may (next) run. */
  runAt: string;
  status: JobStatus;
  tags?: string[];
  tenant: string;
  timeout?: string | null;
  traceparent?: string | null;
  uniqueKey?: string | null;
  /** Who holds or held it last. */
  workerId?: string | null;
  /** The workflow that it counts against. */
  workflow?: string | null;
}

/** Jobs to enqueue in one commit. */
export interface JobBatch {
  /** The jobs, at most 10,000. */
  jobs: JobRequest[];
  /** Whether valid jobs are accepted beside invalid ones; otherwise it is all or nothing. */
  partial?: boolean;
}

/** A job after it was changed. */
export interface JobChange {
  id: string;
  /** Its status now. */
  status: JobStatus;
}

/** An error of a job. */
export interface JobError {
  /** For programs. */
  code?: string | null;
  /** Whatever else the handler sent. */
  details?: Json | null;
  /** For people. */
  message: string;
}

/** A job to enqueue. */
export interface JobRequest {
  /** The waits between tries. */
  backoff?: Backoff | null;
  /** At most one leased job of the tenant has this key. */
  concurrencyKey?: string | null;
  /** The payload, carried to the worker as it is; `null` where absent. */
  data?: Json;
  /** After which wait it may run. */
  delay?: string | null;
  /** What kind of work it is; chooses the handler. */
  jobType: string;
  /** How often it is tried again after a failure. */
  maxRetries?: number | null;
  /** `normal` where absent. */
  priority?: Priority | null;
  /** When it may run. Not together with `delay`. */
  runAt?: string | null;
  /** Words to find it by. */
  tags?: string[];
  /** The key's own tenant, or `default`, where absent. */
  tenant?: string | null;
  /** The longest attempt. */
  timeout?: string | null;
  /** W3C trace context, carried to the worker. Goes before the header of that name. */
  traceparent?: string | null;
  /** At most one unfinished job of the tenant has this key. */
  uniqueKey?: string | null;
}

export type JobStatus = "SCHEDULED" | "QUEUED" | "PROCESSING" | "WAITING" | "RETRY_WAIT" | "COMPLETED" | "FAILED" | "DEAD_LETTER" | "CANCELLED" | (string & {});

/** How to rotate a key. */
export interface KeyRotation {
  /** How long the secret of before holds, up to 30 d; 24 h where absent. */
  overlap?: string | null;
}

/**
 * A part of what a key may do.
 *
 * An action is a word such as `jobs.enqueue`, `jobs.*`, `*.read` or `*`; a name is whole or ends in `*`. A scope with names
 * grants only those of its actions that can be limited by such names.
 */
export interface KeyScope {
  /** What it grants. */
  actions: string[];
  /** Only on these job types. */
  jobTypes?: string[];
  /** Only on these queues. */
  queues?: string[];
  /** Only for these tenants. Polling for all tenants at once needs `*` here. */
  tenants?: string[];
  /** Only on these workflows. */
  workflows?: string[];
}

export type LeaseOutcome = "ok" | "already_done" | "cancelled" | "lease_lost" | "rejected" | (string & {});

/** The limits of one queue. A field that is absent keeps its limit, null removes what was set. */
export interface LimitChanges {
  /** How many jobs may be processed at once. */
  maxConcurrent?: number | null;
  /** What each tenant gets that has no limit of its own. Only on `/v1/limits`. */
  tenantMaxConcurrent?: number | null;
  /** What each workflow gets that has no limit of its own. Only on `/v1/limits`. */
  workflowMaxConcurrent?: number | null;
}

/** An execution that was started by hand. */
export interface ManualRun {
  executionId: string;
  /** The instant under which it stands in the history. */
  scheduledFor: string;
}

/** How far a `MAP` is. */
export interface MapItems {
  /** How many have completed, collected failures included. */
  completed: number;
  /** How many were started. */
  started: number;
  /** How many items there are. */
  total: number;
}

export type Misfire = "skip" | "latest" | "all" | (string & {});

/** A new API key, with its secret. */
export interface NewApiKey {
  createdAt: string;
  /** From when on it no longer works. */
  expiresAt?: string | null;
  /** The groups that it belongs to. */
  groups?: string[];
  id: string;
  /** When it was last used, to about a minute. */
  lastUsedAt?: string | null;
  name: string;
  /** From where it may be used; from everywhere where absent. */
  networks?: string[];
  /** Whether answers to it hold payloads. */
  payloads: boolean;
  /** The person that it stands for. */
  person?: string | null;
  /** The first characters of the secret, to tell keys apart. */
  prefix: string;
  /** Until when the secret of before the last rotation holds. */
  previousUntil?: string | null;
  revokedAt?: string | null;
  role: Role;
  /** When its secret was last changed. */
  rotatedAt?: string | null;
  /** What it may do of what its role may; all of it where absent. */
  scopes?: KeyScope[] | null;
  tenant?: string | null;
  /** The secret, shown in this answer only; null when the call is repeated under its idempotency key. */
  key: string | null;
}

/** What becomes of new runs of a paused workflow. */
export type NewRuns = "queue" | "refuse" | (string & {});

/** A node of an execution. */
export interface Node {
  /** Attempts so far. */
  attempts: number;
  /** Where a `WAIT_WEBHOOK` takes its one request, until it has got one. Not shown to keys that may only read. */
  callbackUrl?: string | null;
  error?: JobError | null;
  finishedAt?: string | null;
  input?: Json | null;
  /** How far a `MAP` is, once it has started. */
  mapItems?: MapItems | null;
  /** As the definition has it; a compensation as `charge:compensate`, an item of a `MAP` as `notify[17]`. */
  nodeId: string;
  output?: Json | null;
  startedAt?: string | null;
  /** `PENDING`, `RUNNING`, `WAITING`, `RETRY_WAIT`, `COMPLETED`, `SKIPPED`, `FAILED` or `CANCELLED`. */
  status: string;
  /** Such as `SERVICE_TASK`, `TIMER` or `MAP`. */
  type: string;
  /** What it waits for, while it is `WAITING`. */
  waitsFor?: NodeWait | null;
}

/** What a node waits for. */
export interface NodeWait {
  /** A sentence. */
  detail: string;
  /** The child that it waits for. */
  executionId?: string | null;
  /** Why its job does not run. */
  job?: Why | null;
  /** Its job. */
  jobId?: string | null;
  /** The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`. */
  nodeId: string;
  /** `timer`, `signal`, `user_task`, `child`, `callback`, `delay`, `job_queued`, `job_running` or `retry_wait`. */
  reason: string;
  /** Such as `TIMER`. */
  type: string;
  /** When the clock does something about it: the timer ends, the wait times out, the job is tried again. */
  until?: string | null;
}

/** What became of one report. */
export interface Outcome {
  id: string;
  /** The new end of the lease, after a heartbeat. */
  leaseExpiresAt?: string | null;
  outcome: LeaseOutcome;
  /** Why the report was rejected. The lease holds as before. */
  reason?: string | null;
}

/** What became of each report, in order. */
export interface Outcomes {
  /** One result for each report. */
  results: Outcome[];
}

export type Overlap = "allow" | "skip" | "queueOne" | "cancelPrevious" | (string & {});

/** The execution that another one is a child of. */
export interface Parent {
  executionId: string;
  /** The node that started it, or the item of a `MAP` as `book[3]`. */
  nodeId: string;
}

/** How a workflow is paused. */
export interface PauseRequest {
  /** `queue` where absent. */
  newRuns?: NewRuns;
}

/** Three percentiles in milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** A worker asks for jobs. */
export interface Poll {
  /** The job types it handles. */
  jobTypes: string[];
  /** How long the leases hold; the queue's default where absent. */
  lease?: string | null;
  /** How many jobs at most; one where absent. */
  maxJobs?: number | null;
  /** Only jobs of this tenant. */
  tenant?: string | null;
  /** How long to wait for a job, up to 30 s; not at all where absent. */
  wait?: string | null;
  /** The worker's name, random for each process. */
  workerId: string;
}

/** A leased job. */
export interface PolledJob {
  /** The number of this attempt, from 1. */
  attempt: number;
  data: Json;
  /** When the time of this attempt is up, where the job has a `timeout`. No heartbeat carries the lease beyond it. */
  deadline?: string | null;
  executionId?: string | null;
  id: string;
  /** The same for every attempt of the job: what systems outside are to recognize a repeated effect by. */
  idempotencyKey: string;
  jobType: string;
  /** The error of the last attempt that failed, if one did. */
  lastError?: JobError | null;
  /** When the lease ends unless a heartbeat renews it. */
  leaseExpiresAt: string;
  /** The token of the lease, to be sent with every report. A secret of this worker. */
  leaseToken: string;
  /** How often the job is tried again after a failure. */
  maxRetries: number;
  nodeId?: string | null;
  /** The last progress that an attempt before this one reported. */
  progress?: Json | null;
  tenant: string;
  traceparent?: string | null;
  workflow?: string | null;
}

/** The jobs that a poll gave. */
export interface PolledJobs {
  /** In the order in which to start them; empty when there is none. */
  jobs: PolledJob[];
}

/** What is to come. */
export interface Preview {
  /** The expression in words. */
  description: string;
  /** The next slots. */
  next: string[];
  /** What changes of the clock do to slots to come. */
  notes: string[];
}

/** An expression to preview. */
export interface PreviewRequest {
  /** How many slots, 1 to 1000; 5 where absent. */
  count?: number | null;
  /** The cron expression. */
  cron: string;
  /** The instant after which to look; now where absent. */
  from?: string | null;
  /** An IANA time zone; `UTC` where absent. */
  timezone?: string | null;
}

export type Priority = "high" | "normal" | "low" | (string & {});

/** A problem document (RFC 9457). */
export interface Problem {
  /** A stable word for programs. */
  code: string;
  /** A sentence about this very case. */
  detail: string;
  /** The faults of an invalid request, each with its place. */
  errors?: Fault[];
  /** With `quota_exceeded`: how much there may be. */
  limit?: number | null;
  /** With `quota_exceeded`: which quota. */
  quota?: string | null;
  /** The HTTP status. */
  status: number;
  /** The HTTP status in words. */
  title: string;
  /** A URN that ends in the code. */
  type: string;
  /** With `quota_exceeded`: how much there is. */
  used?: number | null;
}

/** A queue with its figures, as far as the key sees its jobs. */
export interface Queue {
  /** How long the oldest queued job has been claimable; null when there is none. */
  oldestAgeMs: number | null;
  /** Leased. */
  processing: number;
  /** Waiting for a claim. */
  queued: number;
  /** Waiting for the next try. */
  retryWait: number;
  /** Waiting for their time. */
  scheduled: number;
  /** Parked executions. */
  waiting: number;
  /** Open dead letters. */
  deadLetters: number;
  /** The share of them that did not complete, from 0 to 1. */
  errorRate1m: number;
  /** `running`, `paused` or `draining`. */
  mode: string;
  /** Whether it hands out no jobs. */
  paused: boolean;
  queue: QueueName;
  /** From claimed to settled, in the last minute; null when nothing ended. */
  runMs: Percentiles | null;
  /** Jobs that ended in the last minute. */
  throughput1m: number;
  /** By priority. */
  tiers: Record<string, QueueCounts>;
  /** From claimable to claimed, in the last minute; null when nothing ended. */
  waitMs: Percentiles | null;
}

/** Jobs of a queue by what they wait for. */
export interface QueueCounts {
  /** How long the oldest queued job has been claimable; null when there is none. */
  oldestAgeMs: number | null;
  /** Leased. */
  processing: number;
  /** Waiting for a claim. */
  queued: number;
  /** Waiting for the next try. */
  retryWait: number;
  /** Waiting for their time. */
  scheduled: number;
  /** Parked executions. */
  waiting: number;
}

/** The limits in force on one queue, each with where it comes from. */
export interface QueueLimits {
  /** How many jobs may be processed at once; null is unlimited. */
  maxConcurrent: number | null;
  /** `override`, `definition`, `default` or `settings`. */
  source: string;
  /** What each tenant gets that has no limit of its own. Only on `/v1/limits`. */
  tenantMaxConcurrent?: number | null;
  tenantSource?: string | null;
  /** What each workflow gets that has no limit of its own. Only on `/v1/limits`. */
  workflowMaxConcurrent?: number | null;
  workflowSource?: string | null;
}

/** What a queue does now. */
export interface QueueMode {
  /** `running`, `paused` or `draining`. */
  mode: string;
  /** Whether it hands out no jobs. */
  paused: boolean;
  queue: QueueName;
}

export type QueueName = "workflow-execution" | "workflow-node" | "workflow-scheduled" | "workflow-webhook" | (string & {});

/** A delivery that was taken in. */
export interface ReceivedDelivery {
  /** True for a repetition, which starts nothing. */
  deduplicated?: boolean;
  /** The delivery; of a repetition, the first one. */
  deliveryId: string;
  /** `held` where the endpoint is paused or over its rate: the delivery is stored, and matched later. */
  status?: string;
}

/** A delivery that was not taken in. */
export interface RefusedDelivery {
  /**
   * A stable word: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
   * `rate_limited`, `too_large`, `paused`, `unavailable`.
   */
  error: string;
}

/** What a registration answers. */
export interface RegisteredWorkflow {
  /** Hex SHA-256 of the definition as JSON with sorted keys. */
  contentHash?: string;
  createdAt?: string;
  /** The definition. Not in lists. */
  definition?: Json | null;
  /** `limits.maxConcurrent` of the definition. */
  maxConcurrent?: number | null;
  name?: string;
  /** What becomes of new runs while it is paused. */
  newRuns?: NewRuns | null;
  /** Whether executions of it stay queued. */
  paused?: boolean;
  /** The tenant that owns it; absent for one that all tenants share. */
  tenant?: string | null;
  version?: number;
  /** What is better done otherwise. Only in the answer to a registration. */
  warnings?: Fault[];
  /** Always true: faults are a problem with status 422. */
  valid?: boolean;
}

/** A job to give back. */
export interface Release {
  /** How long it waits before it may run again; not at all where absent. */
  delay?: string | null;
  id: string;
  leaseToken: string;
}

/** How a delivery is replayed. */
export interface ReplayRequest {
  /** Whether triggers that have started their workflows do so again. */
  allTriggers?: boolean;
}

/** A delivery that was replayed. */
export interface ReplayedDelivery {
  /** The new delivery. */
  deliveryId: string;
  /** The one that it repeats. */
  replayOf: string;
}

/** Another priority. */
export interface ReprioritizeRequest {
  priority: Priority;
}

/** What changes with a requeue. Absent fields keep what the job had. */
export interface RequeueRequest {
  /** Another payload. */
  data?: Json;
  /** How often it is tried again from now on. */
  maxRetries?: number | null;
  priority?: Priority | null;
}

/** From where an execution is run again. */
export interface RerunRequest {
  /** Whether the rerun, if it fails, undoes what it took over as well. Without it, it undoes only what it did itself. */
  compensateOriginal?: boolean;
  /** It and all that come after it start again; the results of the others are taken over. */
  fromNode: string;
  /** Another input; that of the first run where absent. */
  input?: Json;
}

export type Role = "admin" | "operator" | "client" | "worker" | "viewer" | (string & {});

/** Another secret for an endpoint. */
export interface RotateSecretRequest {
  /** For how long the present ones hold beside it, up to 30d; a day where absent. */
  overlap?: string | null;
  /** What it is for; `signature` where absent. */
  purpose?: WebhookSecretPurpose | null;
  /** The new one. Where absent, one is made if the provider takes any. */
  secret?: string;
}

/** An endpoint whose secret was rotated. */
export interface RotatedSecret {
  /** The secret that was made, shown in this answer only. */
  secret?: string | null;
  /** How the endpoint is now. */
  webhook: Webhook;
}

/** An endpoint that was saved, with the secrets that were made for it. */
export interface SavedWebhook {
  createdAt: string;
  dedupe: WebhookDedupe;
  /** Where it is for the sender: its `publicUrl`, or made of the server's; absent where neither is known. */
  fullUrl?: string | null;
  id: string;
  /** The largest body in bytes, as it was set. */
  maxBody?: number | null;
  /** The largest body in bytes that is in force. */
  maxBodyEffective: number;
  name: string;
  paused: boolean;
  provider: WebhookProvider;
  /** The address that the sender calls, as it was set. */
  publicUrl?: string | null;
  rateLimit?: WebhookRateLimit | null;
  respondWith: number;
  scheme: WebhookScheme;
  /** Its secrets without their texts. Not in lists. */
  secrets?: WebhookSecret[] | null;
  tenant: string;
  triggers: WebhookTrigger[];
  updatedAt: string;
  /** Where it is, below the server's address. */
  url: string;
  /** Whether deliveries are verified at all: not by the provider `none`. */
  verified: boolean;
  /** Grows with each change. */
  version: number;
  /** What is legal but may not be meant. */
  warnings: string[];
  /** The secret that was made, shown in this answer only. */
  secret?: string | null;
  /** The verify token that was made, shown in this answer only. */
  verifyToken?: string | null;
}

/** A schedule. */
export interface Schedule {
  catchUpWindow: string;
  createdAt: string;
  cron: string;
  /** The expression in words. */
  description: string;
  endAt?: string | null;
  id: string;
  /** Not in lists. */
  input?: Json | null;
  jitter: string;
  misfire: Misfire;
  name: string;
  /** The next slot; null while it is paused, and when there is none any more. */
  nextRunAt: string | null;
  overlap: Overlap;
  paused: boolean;
  priority: Priority;
  startAt?: string | null;
  tenant: string;
  timezone: string;
  updatedAt: string;
  /** What is legal but often not meant. */
  warnings: string[];
  workflow: string;
}

/** A schedule to save. */
export interface ScheduleRequest {
  /** How old a missed slot may be to be run; `24h` where absent. */
  catchUpWindow?: string | null;
  /** Minute, hour, day of month, month, day of week; or an alias such as `@daily`. */
  cron: string;
  /** No slot after this instant. */
  endAt?: string | null;
  /** The input of its executions, checked against the workflow's schema; an empty object where absent. */
  input?: Json;
  /** Executions start up to this much later, each schedule's by its own fixed share. */
  jitter?: string | null;
  /** What happens to slots that were missed; `latest` where absent. */
  misfire?: Misfire | null;
  /** Unique within the tenant. */
  name: string;
  /** What happens to a slot while an execution of the schedule has not ended; `skip` where absent. */
  overlap?: Overlap | null;
  /** Whether it is paused; where absent, a new schedule is not, and another stays as it is. */
  paused?: boolean | null;
  /** `normal` where absent. */
  priority?: Priority | null;
  /** No slot before this instant. */
  startAt?: string | null;
  /** The key's own tenant, or `default`, where absent. A schedule stays with its tenant. */
  tenant?: string | null;
  /** An IANA time zone; `UTC` where absent. */
  timezone?: string | null;
  /** The workflow that it starts, in its latest version at each slot. */
  workflow: string;
}

/** A slot in the history of a schedule. */
export interface ScheduleRun {
  /** What it started. */
  executionId?: string | null;
  /** When it was fired, put to wait, or skipped. */
  firedAt: string;
  /** How much later that was. */
  lateMs: number;
  reason: FireReason;
  /** The slot's instant. */
  scheduledFor: string;
  /** Why it was skipped: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`, `changed`, … */
  skipReason?: string | null;
  status: SlotStatus;
}

/** A secret without its value. */
export interface Secret {
  createdAt: string;
  /** The hosts that it may be sent to. */
  hosts: string[];
  name: string;
  /** `store`, `environment` or `file`. */
  provider: string;
  /** The variable or the file. */
  reference?: string | null;
  tenant: string;
  /** When its value, its place or its hosts were last changed. */
  updatedAt: string;
}

/** A secret to store. One of `value`, `environment` and `file`. No `Debug`: it would print the value. */
export interface SecretRequest {
  /** A variable of the environment of whoever sends it, named `TRUNKLINE_SECRET_…`. For keys that are bound to no tenant. */
  environment?: string | null;
  /** A file in the directory of the setting `secrets.directory`. For keys that are bound to no tenant. */
  file?: string | null;
  /** The hosts that it may be sent to: names, `*.example.com`, addresses. */
  hosts: string[];
  /** The value itself, sealed before it is stored and never shown again. */
  value?: string | null;
}

/** Who calls. */
export interface Session {
  /** The id of the API key, or `loopback` for a caller on this machine while there are no keys. */
  actor: string;
  /** What requests of this session that change something repeat in `X-CSRF-Token`. Only where there is a session. */
  csrfToken?: string | null;
  /** When the session ends. Only where there is one. */
  expiresAt?: string | null;
  /** What the caller may do. */
  role: Role;
  /** The tenant that the caller is bound to. */
  tenant?: string | null;
}

/** A signal. */
export interface SignalRequest {
  /** What it carries; null where absent. It becomes the output of the node that takes the signal. */
  payload?: Json | null;
}

export type SlotStatus = "fired" | "waiting" | "skipped" | (string & {});

/** A tenant. */
export interface Tenant {
  /** When it was first used. Not in the answer to its making. */
  createdAt?: string | null;
  name: string;
}

/** The quotas in force. */
export interface TenantQuotas {
  deliveryBytes?: number | null;
  historyRows?: number | null;
  /** For each API key. */
  idempotencyKeys?: number | null;
  openExecutions?: number | null;
  openJobs?: number | null;
  payloadBytes?: number | null;
}

/** Quotas to change: a number, `"unlimited"`, or null for the default. */
export interface TenantQuotasRequest {
  deliveryBytes?: Record<string, Json> | null;
  historyRows?: Record<string, Json> | null;
  idempotencyKeys?: Record<string, Json> | null;
  openExecutions?: Record<string, Json> | null;
  openJobs?: Record<string, Json> | null;
  payloadBytes?: Record<string, Json> | null;
}

/** A tenant to make. */
export interface TenantRequest {
  /** Its name. */
  name: string;
}

/** What a tenant uses. */
export interface TenantUsage {
  /** When it was counted. */
  asOf: string;
  /** Bytes of deliveries of webhooks that are kept, with 4 KiB for each beside its body. */
  deliveryBytes: UsageFigure;
  /** Jobs and executions that have ended and are kept. */
  historyRows: UsageFigure;
  /** Answers kept for repeats. */
  idempotencyKeys: UsageFigure;
  /** Executions that have not ended. */
  openExecutions: UsageFigure;
  /** Jobs that have not ended. */
  openJobs: UsageFigure;
  /** Bytes of the data of open jobs and of the inputs of open executions. */
  payloadBytes: UsageFigure;
  tenant: string;
}

/** A sample that was sent to an endpoint. */
export interface TestedWebhook {
  deliveryId: string;
  /** What the sample is about. */
  eventType?: string | null;
}

/** A line of the timeline of an execution. */
export interface TimelineEvent {
  at: string;
  /** A sentence more. */
  detail?: string | null;
  /** A stable word. */
  kind: string;
  nodeId?: string | null;
  position: number;
}

/** What started an execution. */
export interface Trigger {
  /** `user`, `schedule`, `webhook`, `event` or `parent`. */
  kind: string;
}

/** How much there is of something, and how much there may be. */
export interface UsageFigure {
  /** How much there may be; null is unlimited. Of idempotency keys it is for each API key. */
  quota?: number | null;
  /** How much there is. */
  used: number;
}

/** A user task. */
export interface UserTask {
  /** The person who has to do it. */
  assignee?: string | null;
  /** When it was claimed. */
  claimedAt?: string | null;
  /** The person who has claimed it, or the id of a key that stands for none. */
  claimedBy?: string | null;
  /** When it was closed. */
  closedAt?: string | null;
  /** The id of the key with which it was done. */
  completedBy?: string | null;
  /** When it should be done. */
  dueAt?: string | null;
  /** When it was handed on. */
  escalatedAt?: string | null;
  executionId: string;
  /** The JSON Schema of what is submitted. */
  form?: Json | null;
  /** The group of which somebody has to do it. */
  group?: string | null;
  /** What the person is told. */
  input?: Json | null;
  nodeId: string;
  openedAt: string;
  /** Which round of the node, from 1; a retry or a `repeat` opens another task. */
  round: number;
  status: UserTaskStatus;
  tenant: string;
  workflow: string;
}

/** What a person submits. */
export interface UserTaskCompletion {
  /** Checked against the task's form; null where absent. It becomes the output of the node. */
  output?: Json | null;
  /** The round of the node that is meant; the latest where absent. */
  round?: number | null;
}

/** Which round of a node's user task is meant. */
export interface UserTaskRound {
  /** The round; the latest where absent. */
  round?: number | null;
}

export type UserTaskStatus = "open" | "completed" | "timed_out" | "cancelled" | (string & {});

/** A definition that passed every check and was not registered. */
export interface ValidatedWorkflow {
  /** Hex SHA-256 of the definition as JSON with sorted keys. */
  contentHash: string;
  name: string;
  /** Always true: faults are a problem with status 422. */
  valid: boolean;
  version: number;
  /** What is better done otherwise. */
  warnings?: Fault[];
}

/** A webhook endpoint. */
export interface Webhook {
  createdAt: string;
  dedupe: WebhookDedupe;
  /** Where it is for the sender: its `publicUrl`, or made of the server's; absent where neither is known. */
  fullUrl?: string | null;
  id: string;
  /** The largest body in bytes, as it was set. */
  maxBody?: number | null;
  /** The largest body in bytes that is in force. */
  maxBodyEffective: number;
  name: string;
  paused: boolean;
  provider: WebhookProvider;
  /** The address that the sender calls, as it was set. */
  publicUrl?: string | null;
  rateLimit?: WebhookRateLimit | null;
  respondWith: number;
  scheme: WebhookScheme;
  /** Its secrets without their texts. Not in lists. */
  secrets?: WebhookSecret[] | null;
  tenant: string;
  triggers: WebhookTrigger[];
  updatedAt: string;
  /** Where it is, below the server's address. */
  url: string;
  /** Whether deliveries are verified at all: not by the provider `none`. */
  verified: boolean;
  /** Grows with each change. */
  version: number;
  /** What is legal but may not be meant. */
  warnings: string[];
}

/** How repetitions are known. */
export interface WebhookDedupe {
  /** By what; `auto` where absent: the provider's id if it signs one, else its id with the body, else the body. */
  on?: Json;
  /** For how long, 1m to 30d; as long as the provider retries, at least a day, where absent. */
  window?: string | null;
}

export type WebhookProvider = "github" | "stripe" | "slack" | "shopify" | "standard" | "svix" | "twilio" | "linear" | "gitlab" | "square" | "zoom" | "discord" | "pagerduty" | "paddle" | "meta" | "hubspot" | "sendgrid" | "razorpay" | "hmac" | "none" | (string & {});

/** So many requests in each span of time. */
export interface WebhookRateLimit {
  /** How many at once after a pause; as many as `requests` where absent. */
  burst?: number | null;
  /** The span. */
  per: string;
  /** How many. */
  requests: number;
}

/** An endpoint to save. */
export interface WebhookRequest {
  /** How repetitions are known. */
  dedupe?: WebhookDedupe | null;
  /** The largest body, up to 25MiB: a number of bytes, or text such as `1MiB`. The server's setting where absent. */
  maxBody?: string;
  /** Unique within the tenant. */
  name: string;
  /** Whether it is paused; where absent, a new endpoint is not, and another stays as it is. */
  paused?: boolean | null;
  /** Who sends. `none` verifies nothing. */
  provider: WebhookProvider;
  /** The address that the sender calls, letter by letter. Needed where the provider signs it. */
  publicUrl?: string | null;
  /** How many requests it takes; the rest is held up to a bound of the server, and answered 429 beyond it. */
  rateLimit?: WebhookRateLimit | null;
  /** The status of the answer to an accepted delivery: 200, 202 (where absent) or 204. */
  respondWith?: number | null;
  /** How requests are signed, where that is not the provider's own. */
  scheme?: WebhookScheme | null;
  /**
   * What signatures are checked with: secrets, or public keys of the provider. Never shown again. Where absent, a new
   * endpoint gets one made if its provider takes any, and another keeps those that it has.
   */
  secrets?: string[];
  /** The key's own tenant, or `default`, where absent. An endpoint stays with its tenant. */
  tenant?: string | null;
  /** What deliveries start. */
  triggers?: WebhookTrigger[];
  /** The token that Meta shows when it subscribes. Never shown again. */
  verifyToken?: string;
  /** Replaces the endpoint only if it still has this version. Not for a new one. */
  version?: number | null;
}

/** How requests are signed. The provider `hmac` takes all of it and needs `header`; the others take `tolerance` and `eventType`. */
export interface WebhookScheme {
  /** `sha256` where absent. */
  algorithm?: string;
  /** `hex` where absent. */
  encoding?: string;
  /** Where the event type stands: `header:<name>` or `field:<JSON pointer>`. */
  eventType?: string;
  /** The header with the signature. */
  header?: string;
  /** The header with the signed id. */
  idHeader?: string;
  /** What separates several signatures. */
  listSeparator?: string;
  /** What stands before each signature, such as `sha256=`. */
  prefix?: string;
  /** How the secret is written; `text` where absent. */
  secretEncoding?: string;
  /** A template over {id}, {timestamp}, {url}, {method} and {body}; `{body}` where absent. */
  signedContent?: string;
  /** The header with the signed time. */
  timestampHeader?: string;
  /** What stands before the signed time within the signature header, such as `t=`. */
  timestampItem?: string;
  /** `s` where absent. */
  timestampUnit?: string;
  /** How far the signed time may be from ours, both ways, 1s to 24h; 5m where absent. */
  tolerance?: string;
}

/** A secret of an endpoint, without its text. */
export interface WebhookSecret {
  createdAt: string;
  /** Until when it holds; absent for the current one. */
  expiresAt?: string | null;
  id: string;
  /** Whether the server has the key that it is sealed with. */
  openable: boolean;
  purpose: WebhookSecretPurpose;
}

export type WebhookSecretPurpose = "signature" | "verifyToken" | (string & {});

/** What a delivery may start. */
export interface WebhookTrigger {
  /** Event types, such as `push` or `issue.*`, any of which is enough; none is all. */
  events?: string[];
  /** A CEL condition over `body`, `headers`, `event`, `query` and `delivery`. */
  filter?: string | null;
  /** Its name within the endpoint; made of the workflow's name where absent. */
  id?: string | null;
  /** The input, with `${…}` in its strings; the body where absent. */
  input?: Json;
  /** `high` where absent. */
  priority?: Priority | null;
  /** Which version; the latest where absent. */
  version?: number | null;
  /** What it starts. */
  workflow: string;
}

/** Why a job is not running. */
export interface Why {
  /** A sentence. */
  detail: string;
  /** What would let it run. */
  freesWhen?: string | null;
  /** Jobs that hold the slots, at most ten. */
  holders?: string[] | null;
  /** The limit that is full. */
  limit?: number | null;
  /** How many jobs of the same lane are ahead. */
  rank?: number | null;
  /**
   * `not_due`, `queue_paused`, `limit_global`, `limit_tenant`, `limit_workflow`, `limit_key`, `no_worker`,
   * `behind`, `waiting`, `running` or `finished`.
   */
  reason: string;
  /** How many it counts now. */
  running?: number | null;
}

/** A worker that showed itself in the last minutes. */
export interface Worker {
  firstSeenAt: string;
  id: string;
  jobTypes: string[];
  /** `external`, or `pool` for Trunkline's own. */
  kind: string;
  lastSeenAt: string;
  /** Jobs that it holds. */
  leased: number;
  /** The tenant that its key is bound to. */
  tenant?: string | null;
}

/** One version of a workflow. */
export interface Workflow {
  /** Hex SHA-256 of the definition as JSON with sorted keys. */
  contentHash: string;
  createdAt: string;
  /** The definition. Not in lists. */
  definition?: Json | null;
  /** `limits.maxConcurrent` of the definition. */
  maxConcurrent?: number | null;
  name: string;
  /** What becomes of new runs while it is paused. */
  newRuns?: NewRuns | null;
  /** Whether executions of it stay queued. */
  paused: boolean;
  /** The tenant that owns it; absent for one that all tenants share. */
  tenant?: string | null;
  version: number;
  /** What is better done otherwise. Only in the answer to a registration. */
  warnings?: Fault[];
}

/** Whether a workflow is paused. */
export interface WorkflowMode {
  name: string;
  /** What becomes of new runs while it is paused. */
  newRuns?: NewRuns | null;
  /** Whether executions of it stay queued. */
  paused: boolean;
}
