// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
import type { Json } from "../json.js";
import type { CallOptions, Transport } from "../transport.js";
import type {
  ApiKey,
  ApiKeyRequest,
  ArchiveRequest,
  AuditLine,
  Backfill,
  BackfillRequest,
  Batch,
  BatchResultCreatedExecution,
  BatchResultEnqueued,
  BatchResults,
  BulkArchiveRequest,
  BulkReplayRequest,
  BulkRequeueRequest,
  CancelRequest,
  Command,
  CommandAccepted,
  Completion,
  CreatedExecution,
  DeadLetter,
  DeadLetterChange,
  DeadLetterGroup,
  Delivery,
  Enqueued,
  Execution,
  ExecutionBatch,
  ExecutionRequest,
  ExecutionWhy,
  Failure,
  Heartbeat,
  Job,
  JobBatch,
  JobChange,
  JobRequest,
  KeyRotation,
  LimitChanges,
  ManualRun,
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
  RegisteredWorkflow,
  Release,
  ReplayRequest,
  ReplayedDelivery,
  Reports,
  ReprioritizeRequest,
  RequeueRequest,
  RerunRequest,
  RotateSecretRequest,
  RotatedSecret,
  SavedWebhook,
  Schedule,
  ScheduleRequest,
  ScheduleRun,
  Secret,
  SecretRequest,
  Session,
  SignalRequest,
  Tenant,
  TenantQuotas,
  TenantQuotasRequest,
  TenantRequest,
  TenantUsage,
  TestedWebhook,
  TimelineEvent,
  UserTask,
  UserTaskCompletion,
  UserTaskRound,
  Webhook,
  WebhookRequest,
  Why,
  Worker,
  Workflow,
  WorkflowMode,
} from "./models.js";

/** Every call of the REST interface, as it is. `Client` is the friendlier way to most of them. */
export class Api {
  constructor(private readonly transport: Transport) {}

  /** List API keys without their secrets, newest first */
  listKeys(query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<ApiKey>> {
    return this.transport.call({ name: "listKeys", method: "GET", path: "/v1/api-keys", query }, options) as Promise<Page<ApiKey>>;
  }

  /**
   * Make an API key
   *
   * The secret is in this answer only.
   */
  createKey(body: ApiKeyRequest, options: CallOptions = {}): Promise<NewApiKey> {
    return this.transport.call({ name: "createKey", method: "POST", path: "/v1/api-keys", body, keyed: true }, options) as Promise<NewApiKey>;
  }

  /** Revoke an API key */
  revokeKey(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "revokeKey", method: "DELETE", path: `/v1/api-keys/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Give an API key another secret
   *
   * The secret is in this answer only. Id, role and scopes stay. The secret of before holds for `overlap`.
   */
  rotateKey(id: string, body: KeyRotation, options: CallOptions = {}): Promise<NewApiKey> {
    return this.transport.call({ name: "rotateKey", method: "POST", path: `/v1/api-keys/${encodeURIComponent(id)}/rotate`, body, keyed: true }, options) as Promise<NewApiKey>;
  }

  /** List archived dead letters, newest first */
  listArchive(query: { queue?: string | undefined; workflow?: string | undefined; jobType?: string | undefined; tenant?: string | undefined; fingerprint?: string | undefined; reason?: string | undefined; status?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<DeadLetter>> {
    return this.transport.call({ name: "listArchive", method: "GET", path: "/v1/archive", query }, options) as Promise<Page<DeadLetter>>;
  }

  /** List the audit log, newest first */
  listAudit(query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<AuditLine>> {
    return this.transport.call({ name: "listAudit", method: "GET", path: "/v1/audit", query }, options) as Promise<Page<AuditLine>>;
  }

  /** Show the progress of a bulk operation */
  getBatch(id: string, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "getBatch", method: "GET", path: `/v1/batches/${encodeURIComponent(id)}` }, options) as Promise<Batch>;
  }

  /**
   * Abort a bulk operation
   *
   * What is done stays done.
   */
  abortBatch(id: string, options: CallOptions = {}): Promise<Batch> {
    return this.transport.call({ name: "abortBatch", method: "POST", path: `/v1/batches/${encodeURIComponent(id)}/abort`, keyed: true }, options) as Promise<Batch>;
  }

  /** Show what became of a command */
  getCommand(position: string, options: CallOptions = {}): Promise<Command> {
    return this.transport.call({ name: "getCommand", method: "GET", path: `/v1/commands/${encodeURIComponent(position)}` }, options) as Promise<Command>;
  }

  /** List dead letters, newest first */
  listDeadLetters(query: { queue?: string | undefined; workflow?: string | undefined; jobType?: string | undefined; tenant?: string | undefined; fingerprint?: string | undefined; reason?: string | undefined; status?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<DeadLetter>> {
    return this.transport.call({ name: "listDeadLetters", method: "GET", path: "/v1/dead-letters", query }, options) as Promise<Page<DeadLetter>>;
  }

  /** Archive many dead letters */
  archiveDeadLetters(body: BulkArchiveRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "archiveDeadLetters", method: "POST", path: "/v1/dead-letters/archive", body, keyed: true }, options) as Promise<Json>;
  }

  /** List groups of open dead letters with the same kind of error, largest first */
  listGroups(query: { queue?: string | undefined; workflow?: string | undefined; jobType?: string | undefined; tenant?: string | undefined; fingerprint?: string | undefined; reason?: string | undefined; status?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<DeadLetterGroup>> {
    return this.transport.call({ name: "listGroups", method: "GET", path: "/v1/dead-letters/groups", query }, options) as Promise<Page<DeadLetterGroup>>;
  }

  /** Requeue many dead letters */
  requeueDeadLetters(body: BulkRequeueRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "requeueDeadLetters", method: "POST", path: "/v1/dead-letters/requeue", body, keyed: true }, options) as Promise<Json>;
  }

  /** Show a dead letter with its attempts */
  getDeadLetter(id: string, options: CallOptions = {}): Promise<DeadLetter> {
    return this.transport.call({ name: "getDeadLetter", method: "GET", path: `/v1/dead-letters/${encodeURIComponent(id)}` }, options) as Promise<DeadLetter>;
  }

  /** Archive a dead letter */
  archiveDeadLetter(id: string, body: ArchiveRequest, options: CallOptions = {}): Promise<DeadLetterChange> {
    return this.transport.call({ name: "archiveDeadLetter", method: "POST", path: `/v1/dead-letters/${encodeURIComponent(id)}/archive`, body, keyed: true }, options) as Promise<DeadLetterChange>;
  }

  /**
   * Requeue a dead letter
   *
   * Its job goes back to its queue under its old id, with its history and fresh retries. Doing it twice makes no
   * second job.
   */
  requeueDeadLetter(id: string, body: RequeueRequest, options: CallOptions = {}): Promise<DeadLetterChange> {
    return this.transport.call({ name: "requeueDeadLetter", method: "POST", path: `/v1/dead-letters/${encodeURIComponent(id)}/requeue`, body, keyed: true }, options) as Promise<DeadLetterChange>;
  }

  /**
   * List deliveries, newest first
   *
   * Accepted, held, matched, unmatched, parked, duplicate and rejected ones, and handshakes; also of endpoints that were
   * removed.
   */
  listDeliveries(query: { webhookId?: string | undefined; tenant?: string | undefined; status?: string | undefined; eventType?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Delivery>> {
    return this.transport.call({ name: "listDeliveries", method: "GET", path: "/v1/deliveries", query }, options) as Promise<Page<Delivery>>;
  }

  /**
   * Replay many deliveries
   *
   * The work goes on after the answer.
   */
  replayDeliveries(body: BulkReplayRequest, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "replayDeliveries", method: "POST", path: "/v1/deliveries/replay", body, keyed: true }, options) as Promise<Json>;
  }

  /** Show a delivery with its headers and its body */
  getDelivery(id: string, options: CallOptions = {}): Promise<Delivery> {
    return this.transport.call({ name: "getDelivery", method: "GET", path: `/v1/deliveries/${encodeURIComponent(id)}` }, options) as Promise<Delivery>;
  }

  /**
   * Replay a delivery
   *
   * A new delivery with the same body, which is matched against the triggers as they are now. It is not verified again,
   * and no repetition of anything. Triggers that have started their workflows for the delivery do so again only with
   * `allTriggers`.
   */
  replayDelivery(id: string, body: ReplayRequest, options: CallOptions = {}): Promise<ReplayedDelivery> {
    return this.transport.call({ name: "replayDelivery", method: "POST", path: `/v1/deliveries/${encodeURIComponent(id)}/replay`, body, keyed: true }, options) as Promise<ReplayedDelivery>;
  }

  /** List executions, newest first */
  listExecutions(query: { workflow?: string | undefined; version?: number | undefined; status?: string | undefined; tenant?: string | undefined; priority?: string | undefined; correlationId?: string | undefined; tag?: string | undefined; parent?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Execution>> {
    return this.transport.call({ name: "listExecutions", method: "GET", path: "/v1/executions", query }, options) as Promise<Page<Execution>>;
  }

  /**
   * Start an execution
   *
   * A 202 means that it is stored durably. With `wait` the answer is 200 and the execution, once it has ended, or 202
   * when the time is up.
   */
  startExecution(body: ExecutionRequest, query: { wait?: boolean | undefined; timeout?: string | undefined } = {}, options: CallOptions = {}): Promise<Json> {
    return this.transport.call({ name: "startExecution", method: "POST", path: "/v1/executions", query, body, keyed: true }, options) as Promise<Json>;
  }

  /**
   * Start many executions in one commit
   *
   * All or nothing, unless `partial` is true: then valid ones are accepted and each invalid one has its error in the
   * results.
   */
  startExecutions(body: ExecutionBatch, options: CallOptions = {}): Promise<BatchResults<BatchResultCreatedExecution>> {
    return this.transport.call({ name: "startExecutions", method: "POST", path: "/v1/executions/batch", body, keyed: true }, options) as Promise<BatchResults<BatchResultCreatedExecution>>;
  }

  /**
   * Show an execution
   *
   * With `wait` the answer is held until it ends or the time is up, and says how it is then.
   */
  getExecution(id: string, query: { wait?: boolean | undefined; timeout?: string | undefined } = {}, options: CallOptions = {}): Promise<Execution> {
    return this.transport.call({ name: "getExecution", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}`, query }, options) as Promise<Execution>;
  }

  /**
   * Cancel an execution
   *
   * With `compensate` the completed nodes are undone first, the last one first, as their `compensate` says.
   */
  cancelExecution(id: string, body: CancelRequest, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "cancelExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/cancel`, body, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /** Show the timeline of an execution, oldest first */
  listTimeline(id: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<TimelineEvent>> {
    return this.transport.call({ name: "listTimeline", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/events`, query }, options) as Promise<Page<TimelineEvent>>;
  }

  /**
   * List the nodes of an execution, in the order of its definition
   *
   * A compensation that has started stands behind its node, as `charge:compensate`.
   */
  listNodes(id: string, query: { items?: boolean | undefined } = {}, options: CallOptions = {}): Promise<Page<Node>> {
    return this.transport.call({ name: "listNodes", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/nodes`, query }, options) as Promise<Page<Node>>;
  }

  /**
   * Run an execution again from a chosen node
   *
   * Starts another execution of the same version. The results of the nodes that do not come after the chosen one are
   * taken over; those nodes do not run again. A rerun that fails undoes what it did itself; what it took over it undoes
   * only with `compensateOriginal`.
   */
  rerunExecution(id: string, body: RerunRequest, options: CallOptions = {}): Promise<CreatedExecution> {
    return this.transport.call({ name: "rerunExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/rerun`, body, keyed: true }, options) as Promise<CreatedExecution>;
  }

  /** Retry a failed execution from its failed nodes */
  retryExecution(id: string, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "retryExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/retry`, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /**
   * Send a signal to an execution
   *
   * It goes to the first node that waits for a signal of this name. One that comes before is kept, at most 1,000 of an
   * execution.
   */
  signalExecution(id: string, name: string, body: SignalRequest, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "signalExecution", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/signals/${encodeURIComponent(name)}`, body, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /**
   * Do a user task
   *
   * What is submitted is checked against the task's form. A task that is not open is a 409 `user_task_not_open`, one of another
   * round a 409 `user_task_round`, one that somebody else has claimed a 409 `user_task_claimed`. A task with an assignee or a
   * group is done by a key that stands for that person or belongs to that group, or by an operator.
   */
  completeUserTask(id: string, nodeId: string, body: UserTaskCompletion, options: CallOptions = {}): Promise<CommandAccepted> {
    return this.transport.call({ name: "completeUserTask", method: "POST", path: `/v1/executions/${encodeURIComponent(id)}/user-tasks/${encodeURIComponent(nodeId)}/complete`, body, keyed: true }, options) as Promise<CommandAccepted>;
  }

  /** Say why an execution does not go on: which node waits for what */
  whyExecution(id: string, options: CallOptions = {}): Promise<ExecutionWhy> {
    return this.transport.call({ name: "whyExecution", method: "GET", path: `/v1/executions/${encodeURIComponent(id)}/why` }, options) as Promise<ExecutionWhy>;
  }

  /** List jobs, newest first */
  listJobs(query: { queue?: string | undefined; status?: string | undefined; jobType?: string | undefined; workflow?: string | undefined; tenant?: string | undefined; priority?: string | undefined; tag?: string | undefined; executionId?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Job>> {
    return this.transport.call({ name: "listJobs", method: "GET", path: "/v1/jobs", query }, options) as Promise<Page<Job>>;
  }

  /**
   * Enqueue a job
   *
   * The job waits on `workflow-node` until a worker that polls for its type takes it. A 202 means that it is stored
   * durably.
   */
  enqueueJob(body: JobRequest, options: CallOptions = {}): Promise<Enqueued> {
    return this.transport.call({ name: "enqueueJob", method: "POST", path: "/v1/jobs", body, keyed: true }, options) as Promise<Enqueued>;
  }

  /**
   * Enqueue many jobs in one commit
   *
   * All or nothing, unless `partial` is true: then valid jobs are accepted and each invalid one has its error in the
   * results.
   */
  enqueueJobs(body: JobBatch, options: CallOptions = {}): Promise<BatchResults<BatchResultEnqueued>> {
    return this.transport.call({ name: "enqueueJobs", method: "POST", path: "/v1/jobs/batch", body, keyed: true }, options) as Promise<BatchResults<BatchResultEnqueued>>;
  }

  /**
   * Report jobs as done
   *
   * Each is answered by itself: a result that is too large is `rejected` with the reason, and the other jobs are done.
   */
  completeJobs(body: Reports<Completion>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "completeJobs", method: "POST", path: "/v1/jobs/complete", body }, options) as Promise<Outcomes>;
  }

  /**
   * Report jobs as failed
   *
   * Each is tried again after its backoff, or becomes a dead letter when it is out of retries or not `retryable`.
   */
  failJobs(body: Reports<Failure>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "failJobs", method: "POST", path: "/v1/jobs/fail", body }, options) as Promise<Outcomes>;
  }

  /**
   * Renew leases
   *
   * `cancelled` and `lease_lost` mean that the job is no longer this worker's: its handler should stop.
   */
  heartbeatJobs(body: Reports<Heartbeat>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "heartbeatJobs", method: "POST", path: "/v1/jobs/heartbeat", body }, options) as Promise<Outcomes>;
  }

  /**
   * Take jobs
   *
   * Leases up to `maxJobs` jobs of the given types to the worker. With `wait` the answer is held until there is one.
   */
  pollJobs(body: Poll, options: CallOptions = {}): Promise<PolledJobs> {
    return this.transport.call({ name: "pollJobs", method: "POST", path: "/v1/jobs/poll", body }, options) as Promise<PolledJobs>;
  }

  /**
   * Give jobs back
   *
   * They go back to their queue without consuming an attempt, at once or after `delay`. Progress that was reported is given
   * to the next attempt.
   */
  releaseJobs(body: Reports<Release>, options: CallOptions = {}): Promise<Outcomes> {
    return this.transport.call({ name: "releaseJobs", method: "POST", path: "/v1/jobs/release", body }, options) as Promise<Outcomes>;
  }

  /**
   * Show a job with its attempts
   *
   * With `wait` the answer is held until the job ends or the time is up, and says how it is then.
   */
  getJob(id: string, query: { wait?: boolean | undefined; timeout?: string | undefined } = {}, options: CallOptions = {}): Promise<Job> {
    return this.transport.call({ name: "getJob", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}`, query }, options) as Promise<Job>;
  }

  /**
   * Cancel a job
   *
   * A job that is being processed loses its lease at once. Cancelling the job of an execution cancels the execution.
   */
  cancelJob(id: string, options: CallOptions = {}): Promise<JobChange> {
    return this.transport.call({ name: "cancelJob", method: "POST", path: `/v1/jobs/${encodeURIComponent(id)}/cancel`, keyed: true }, options) as Promise<JobChange>;
  }

  /** Move a waiting job to another priority */
  reprioritizeJob(id: string, body: ReprioritizeRequest, options: CallOptions = {}): Promise<JobChange> {
    return this.transport.call({ name: "reprioritizeJob", method: "POST", path: `/v1/jobs/${encodeURIComponent(id)}/reprioritize`, body, keyed: true }, options) as Promise<JobChange>;
  }

  /**
   * Run a job now
   *
   * Makes a job that waits for its time or for its next try due at once.
   */
  retryJob(id: string, options: CallOptions = {}): Promise<JobChange> {
    return this.transport.call({ name: "retryJob", method: "POST", path: `/v1/jobs/${encodeURIComponent(id)}/retry`, keyed: true }, options) as Promise<JobChange>;
  }

  /** Say why a job is not running */
  whyJob(id: string, options: CallOptions = {}): Promise<Why> {
    return this.transport.call({ name: "whyJob", method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}/why` }, options) as Promise<Why>;
  }

  /** Show the limits of the queues */
  getLimits(options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getLimits", method: "GET", path: "/v1/limits" }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Change the limits of the queues
   *
   * A claim that starts after the answer obeys them.
   */
  setLimits(body: Record<string, LimitChanges>, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setLimits", method: "PUT", path: "/v1/limits", body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /** List the queues with their figures */
  listQueues(options: CallOptions = {}): Promise<Page<Queue>> {
    return this.transport.call({ name: "listQueues", method: "GET", path: "/v1/queues" }, options) as Promise<Page<Queue>>;
  }

  /** Show a queue with its figures */
  getQueue(queue: string, options: CallOptions = {}): Promise<Queue> {
    return this.transport.call({ name: "getQueue", method: "GET", path: `/v1/queues/${encodeURIComponent(queue)}` }, options) as Promise<Queue>;
  }

  /**
   * Drain a queue
   *
   * It hands out the jobs that it has and accepts no new ones from callers until it is resumed.
   */
  drainQueue(queue: string, options: CallOptions = {}): Promise<QueueMode> {
    return this.transport.call({ name: "drainQueue", method: "POST", path: `/v1/queues/${encodeURIComponent(queue)}/drain`, keyed: true }, options) as Promise<QueueMode>;
  }

  /**
   * Pause a queue
   *
   * It hands out no jobs until it is resumed. New jobs are accepted.
   */
  pauseQueue(queue: string, options: CallOptions = {}): Promise<QueueMode> {
    return this.transport.call({ name: "pauseQueue", method: "POST", path: `/v1/queues/${encodeURIComponent(queue)}/pause`, keyed: true }, options) as Promise<QueueMode>;
  }

  /** Resume a queue */
  resumeQueue(queue: string, options: CallOptions = {}): Promise<QueueMode> {
    return this.transport.call({ name: "resumeQueue", method: "POST", path: `/v1/queues/${encodeURIComponent(queue)}/resume`, keyed: true }, options) as Promise<QueueMode>;
  }

  /** List schedules, newest first */
  listSchedules(query: { workflow?: string | undefined; tenant?: string | undefined; paused?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Schedule>> {
    return this.transport.call({ name: "listSchedules", method: "GET", path: "/v1/schedules", query }, options) as Promise<Page<Schedule>>;
  }

  /**
   * Create a schedule
   *
   * It fires from now on. A refused expression is told at `/cron`, with what would be right.
   */
  createSchedule(body: ScheduleRequest, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "createSchedule", method: "POST", path: "/v1/schedules", body, keyed: true }, options) as Promise<Schedule>;
  }

  /** Preview an expression */
  previewCron(body: PreviewRequest, options: CallOptions = {}): Promise<Preview> {
    return this.transport.call({ name: "previewCron", method: "POST", path: "/v1/schedules/preview", body, keyed: true }, options) as Promise<Preview>;
  }

  /** Show a schedule */
  getSchedule(id: string, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "getSchedule", method: "GET", path: `/v1/schedules/${encodeURIComponent(id)}` }, options) as Promise<Schedule>;
  }

  /**
   * Replace a schedule
   *
   * It keeps its id and its history. Slots that are past by then do not fire, and one that waits is given up.
   */
  replaceSchedule(id: string, body: ScheduleRequest, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "replaceSchedule", method: "PUT", path: `/v1/schedules/${encodeURIComponent(id)}`, body, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Remove a schedule and its history
   *
   * Its executions stay.
   */
  deleteSchedule(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteSchedule", method: "DELETE", path: `/v1/schedules/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Run the slots of a past span
   *
   * Those with an entry in the history are left out; the others start at once.
   */
  backfillSchedule(id: string, body: BackfillRequest, options: CallOptions = {}): Promise<Backfill> {
    return this.transport.call({ name: "backfillSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/backfill`, body, keyed: true }, options) as Promise<Backfill>;
  }

  /**
   * Pause a schedule
   *
   * Slots that pass meanwhile never fire, and one that waits is given up. What runs goes on.
   */
  pauseSchedule(id: string, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "pauseSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/pause`, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Preview a schedule
   *
   * Within its bounds; a paused one as if it were resumed now.
   */
  previewSchedule(id: string, query: { count?: number | undefined } = {}, options: CallOptions = {}): Promise<Preview> {
    return this.transport.call({ name: "previewSchedule", method: "GET", path: `/v1/schedules/${encodeURIComponent(id)}/preview`, query }, options) as Promise<Preview>;
  }

  /**
   * Resume a schedule
   *
   * It fires from now on.
   */
  resumeSchedule(id: string, options: CallOptions = {}): Promise<Schedule> {
    return this.transport.call({ name: "resumeSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/resume`, keyed: true }, options) as Promise<Schedule>;
  }

  /**
   * Start an execution of a schedule now
   *
   * Whatever runs, and also while the schedule is paused.
   */
  runSchedule(id: string, options: CallOptions = {}): Promise<ManualRun> {
    return this.transport.call({ name: "runSchedule", method: "POST", path: `/v1/schedules/${encodeURIComponent(id)}/run`, keyed: true }, options) as Promise<ManualRun>;
  }

  /** List what became of the slots of a schedule, latest slot first */
  listScheduleRuns(id: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<ScheduleRun>> {
    return this.transport.call({ name: "listScheduleRuns", method: "GET", path: `/v1/schedules/${encodeURIComponent(id)}/runs`, query }, options) as Promise<Page<ScheduleRun>>;
  }

  /**
   * Who calls
   *
   * Role and tenant of the caller, however it authenticated; for a session also its token and its end.
   */
  readSession(options: CallOptions = {}): Promise<Session> {
    return this.transport.call({ name: "readSession", method: "GET", path: "/v1/session" }, options) as Promise<Session>;
  }

  /**
   * Sign in to the console
   *
   * Makes a session for the API key of this request. The answer sets an `HttpOnly`, `SameSite=Strict` cookie that
   * authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
   * that change something also repeat the answer's `csrfToken` in the header `X-CSRF-Token`.
   */
  createSession(options: CallOptions = {}): Promise<Session> {
    return this.transport.call({ name: "createSession", method: "POST", path: "/v1/session" }, options) as Promise<Session>;
  }

  /**
   * Sign out
   *
   * Removes the session's cookie. A copy of the cookie ends with its time or with its key.
   */
  deleteSession(options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteSession", method: "DELETE", path: "/v1/session" }, options) as Promise<undefined>;
  }

  /** List tenants by name */
  listTenants(query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Tenant>> {
    return this.transport.call({ name: "listTenants", method: "GET", path: "/v1/tenants", query }, options) as Promise<Page<Tenant>>;
  }

  /**
   * Make a tenant
   *
   * A tenant is also made by its first use with a key that is bound to none.
   */
  createTenant(body: TenantRequest, options: CallOptions = {}): Promise<Tenant> {
    return this.transport.call({ name: "createTenant", method: "POST", path: "/v1/tenants", body, keyed: true }, options) as Promise<Tenant>;
  }

  /** Show the limits of a tenant */
  getTenantLimits(tenant: string, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getTenantLimits", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/limits` }, options) as Promise<Record<string, QueueLimits>>;
  }

  /** Change the limits of a tenant */
  setTenantLimits(tenant: string, body: Record<string, LimitChanges>, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setTenantLimits", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/limits`, body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /** Show the quotas of a tenant */
  getQuotas(tenant: string, options: CallOptions = {}): Promise<TenantQuotas> {
    return this.transport.call({ name: "getQuotas", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/quotas` }, options) as Promise<TenantQuotas>;
  }

  /**
   * Change quotas of a tenant
   *
   * What is absent stays, null goes back to the default, and `"unlimited"` is what it says. Other processes know within a few
   * seconds. Role `admin`, with a key that is bound to no tenant.
   */
  setQuotas(tenant: string, body: TenantQuotasRequest, options: CallOptions = {}): Promise<TenantQuotas> {
    return this.transport.call({ name: "setQuotas", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/quotas`, body, keyed: true }, options) as Promise<TenantQuotas>;
  }

  /**
   * List the secrets of a tenant by name
   *
   * Their values are never shown.
   */
  listSecrets(tenant: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Secret>> {
    return this.transport.call({ name: "listSecrets", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/secrets`, query }, options) as Promise<Page<Secret>>;
  }

  /**
   * Store a secret
   *
   * In the place of one of the same name: requests that are sent afterwards get the new value. Workflows write it as
   * `${secrets.name}` in the headers of an `HTTP` node's request; it is sent to its hosts only, and stands in no job, history,
   * error or list.
   */
  putSecret(tenant: string, name: string, body: SecretRequest, options: CallOptions = {}): Promise<Secret> {
    return this.transport.call({ name: "putSecret", method: "PUT", path: `/v1/tenants/${encodeURIComponent(tenant)}/secrets/${encodeURIComponent(name)}`, body, keyed: true }, options) as Promise<Secret>;
  }

  /**
   * Remove a secret
   *
   * Requests that are to send it fail from then on.
   */
  deleteSecret(tenant: string, name: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteSecret", method: "DELETE", path: `/v1/tenants/${encodeURIComponent(tenant)}/secrets/${encodeURIComponent(name)}`, keyed: true }, options) as Promise<undefined>;
  }

  /**
   * Show what a tenant uses
   *
   * Counted when it is asked for. What is beyond a quota is answered 429 `quota_exceeded`; what running executions make is not
   * refused.
   */
  getUsage(tenant: string, options: CallOptions = {}): Promise<TenantUsage> {
    return this.transport.call({ name: "getUsage", method: "GET", path: `/v1/tenants/${encodeURIComponent(tenant)}/usage` }, options) as Promise<TenantUsage>;
  }

  /** List user tasks, newest first */
  listUserTasks(query: { assignee?: string | undefined; group?: string | undefined; status?: string | undefined; tenant?: string | undefined; workflow?: string | undefined; execution?: string | undefined; dueBefore?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<UserTask>> {
    return this.transport.call({ name: "listUserTasks", method: "GET", path: "/v1/user-tasks", query }, options) as Promise<Page<UserTask>>;
  }

  /** Show the latest user task of a node */
  getUserTask(executionId: string, nodeId: string, options: CallOptions = {}): Promise<UserTask> {
    return this.transport.call({ name: "getUserTask", method: "GET", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}` }, options) as Promise<UserTask>;
  }

  /**
   * Claim a user task
   *
   * Others of its group then leave it alone, until it is released or handed on.
   */
  claimUserTask(executionId: string, nodeId: string, body: UserTaskRound, options: CallOptions = {}): Promise<UserTask> {
    return this.transport.call({ name: "claimUserTask", method: "POST", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}/claim`, body, keyed: true }, options) as Promise<UserTask>;
  }

  /**
   * Release a user task
   *
   * Takes one's own claim off; an operator takes off anybody's.
   */
  releaseUserTask(executionId: string, nodeId: string, body: UserTaskRound, options: CallOptions = {}): Promise<UserTask> {
    return this.transport.call({ name: "releaseUserTask", method: "POST", path: `/v1/user-tasks/${encodeURIComponent(executionId)}/${encodeURIComponent(nodeId)}/release`, body, keyed: true }, options) as Promise<UserTask>;
  }

  /** List webhook endpoints, newest first */
  listWebhooks(query: { tenant?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Webhook>> {
    return this.transport.call({ name: "listWebhooks", method: "GET", path: "/v1/webhooks", query }, options) as Promise<Page<Webhook>>;
  }

  /**
   * Create a webhook endpoint
   *
   * It takes deliveries at once. A secret that is made for it is in this answer only.
   */
  createWebhook(body: WebhookRequest, options: CallOptions = {}): Promise<SavedWebhook> {
    return this.transport.call({ name: "createWebhook", method: "POST", path: "/v1/webhooks", body, keyed: true }, options) as Promise<SavedWebhook>;
  }

  /** Show a webhook endpoint */
  getWebhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.call({ name: "getWebhook", method: "GET", path: `/v1/webhooks/${encodeURIComponent(id)}` }, options) as Promise<Webhook>;
  }

  /**
   * Replace a webhook endpoint
   *
   * It keeps its id, its address and its deliveries. Its secrets stay unless others are given, which then hold at once;
   * `rotate-secret` lets old and new ones overlap.
   */
  replaceWebhook(id: string, body: WebhookRequest, options: CallOptions = {}): Promise<SavedWebhook> {
    return this.transport.call({ name: "replaceWebhook", method: "PUT", path: `/v1/webhooks/${encodeURIComponent(id)}`, body, keyed: true }, options) as Promise<SavedWebhook>;
  }

  /**
   * Remove a webhook endpoint and its secrets
   *
   * Senders get 404 from then on. Its deliveries stay until retention takes them.
   */
  deleteWebhook(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.transport.call({ name: "deleteWebhook", method: "DELETE", path: `/v1/webhooks/${encodeURIComponent(id)}`, keyed: true }, options) as Promise<undefined>;
  }

  /** List the deliveries of a webhook endpoint, newest first */
  listWebhookDeliveries(id: string, query: { status?: string | undefined; eventType?: string | undefined; from?: string | undefined; to?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Delivery>> {
    return this.transport.call({ name: "listWebhookDeliveries", method: "GET", path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries`, query }, options) as Promise<Page<Delivery>>;
  }

  /**
   * Pause a webhook endpoint
   *
   * Deliveries are answered 503 with Retry-After, so that senders try again; handshakes are still answered.
   */
  pauseWebhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.call({ name: "pauseWebhook", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/pause`, keyed: true }, options) as Promise<Webhook>;
  }

  /** Resume a webhook endpoint */
  resumeWebhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.call({ name: "resumeWebhook", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/resume`, keyed: true }, options) as Promise<Webhook>;
  }

  /**
   * Give a webhook endpoint another secret
   *
   * Old and new ones hold for the overlap; set the new one at the provider meanwhile. One that is made here is in this
   * answer only.
   */
  rotateSecret(id: string, body: RotateSecretRequest, options: CallOptions = {}): Promise<RotatedSecret> {
    return this.transport.call({ name: "rotateSecret", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/rotate-secret`, body, keyed: true }, options) as Promise<RotatedSecret>;
  }

  /**
   * Send a signed sample to a webhook endpoint
   *
   * It goes the way of any delivery: verified, stored, matched against the triggers, whose workflows really start. 409
   * `cannot_sign` where the provider signs with a private key, `webhook_secret_missing` where there is no secret yet.
   */
  testWebhook(id: string, options: CallOptions = {}): Promise<TestedWebhook> {
    return this.transport.call({ name: "testWebhook", method: "POST", path: `/v1/webhooks/${encodeURIComponent(id)}/test`, keyed: true }, options) as Promise<TestedWebhook>;
  }

  /** List the workers that were seen lately */
  listWorkers(query: { limit?: number | undefined } = {}, options: CallOptions = {}): Promise<Page<Worker>> {
    return this.transport.call({ name: "listWorkers", method: "GET", path: "/v1/workers", query }, options) as Promise<Page<Worker>>;
  }

  /** List the latest version of each workflow, by name */
  listWorkflows(query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Workflow>> {
    return this.transport.call({ name: "listWorkflows", method: "GET", path: "/v1/workflows", query }, options) as Promise<Page<Workflow>>;
  }

  /**
   * Register a version of a workflow
   *
   * A version never changes: the same content again answers 200, other content under the same version 409.
   */
  registerWorkflow(body: Json, query: { validate?: boolean | undefined } = {}, options: CallOptions = {}): Promise<RegisteredWorkflow> {
    return this.transport.call({ name: "registerWorkflow", method: "POST", path: "/v1/workflows", query, body, keyed: true }, options) as Promise<RegisteredWorkflow>;
  }

  /** Show the latest version of a workflow */
  getWorkflow(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Workflow> {
    return this.transport.call({ name: "getWorkflow", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}`, query }, options) as Promise<Workflow>;
  }

  /** Show the limits of a workflow */
  getWorkflowLimits(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "getWorkflowLimits", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/limits`, query }, options) as Promise<Record<string, QueueLimits>>;
  }

  /** Change the limits of a workflow */
  setWorkflowLimits(name: string, body: Record<string, LimitChanges>, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Record<string, QueueLimits>> {
    return this.transport.call({ name: "setWorkflowLimits", method: "PUT", path: `/v1/workflows/${encodeURIComponent(name)}/limits`, query, body, keyed: true }, options) as Promise<Record<string, QueueLimits>>;
  }

  /**
   * Pause a workflow
   *
   * Its executions stay queued until it is resumed; one that is under way goes on until it waits or ends. New ones are
   * queued as well, or refused with a 409 `workflow_paused`.
   */
  pauseWorkflow(name: string, body: PauseRequest, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<WorkflowMode> {
    return this.transport.call({ name: "pauseWorkflow", method: "POST", path: `/v1/workflows/${encodeURIComponent(name)}/pause`, query, body, keyed: true }, options) as Promise<WorkflowMode>;
  }

  /** Resume a workflow */
  resumeWorkflow(name: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<WorkflowMode> {
    return this.transport.call({ name: "resumeWorkflow", method: "POST", path: `/v1/workflows/${encodeURIComponent(name)}/resume`, query, keyed: true }, options) as Promise<WorkflowMode>;
  }

  /** List the versions of a workflow, newest first */
  listVersions(name: string, query: { limit?: number | undefined; cursor?: string | undefined } = {}, options: CallOptions = {}): Promise<Page<Workflow>> {
    return this.transport.call({ name: "listVersions", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/versions`, query }, options) as Promise<Page<Workflow>>;
  }

  /** Show a version of a workflow */
  getVersion(name: string, version: string, query: { tenant?: string | undefined } = {}, options: CallOptions = {}): Promise<Workflow> {
    return this.transport.call({ name: "getVersion", method: "GET", path: `/v1/workflows/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`, query }, options) as Promise<Workflow>;
  }
}
