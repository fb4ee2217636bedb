// Code generated from services/api/openapi.json by sdks/codegen/generate.py. DO NOT EDIT.

package api

import (
	"encoding/json"
	"time"
)

// Page is part of a list. NextCursor is the Cursor of the next part, nil at the end.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// Reports are reports on leased jobs.
type Reports[T any] struct {
	Jobs []T `json:"jobs"`
}

// BatchResults is what became of each item of a batch, in order.
type BatchResults[T any] struct {
	Results []T `json:"results"`
}

// APIKey: An API key without its secret.
type APIKey struct {
	CreatedAt time.Time `json:"createdAt"`
	// From when on it no longer works.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// The groups that it belongs to.
	Groups []string `json:"groups,omitempty"`
	ID     string   `json:"id"`
	// When it was last used, to about a minute.
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
	Name       string     `json:"name"`
	// From where it may be used; from everywhere where absent.
	Networks []string `json:"networks,omitempty"`
	// Whether answers to it hold payloads.
	Payloads bool `json:"payloads"`
	// The person that it stands for.
	Person *string `json:"person,omitempty"`
	// The first characters of the secret, to tell keys apart.
	Prefix string `json:"prefix"`
	// Until when the secret of before the last rotation holds.
	PreviousUntil *time.Time `json:"previousUntil,omitempty"`
	RevokedAt     *time.Time `json:"revokedAt,omitempty"`
	Role          Role       `json:"role"`
	// When its secret was last changed.
	RotatedAt *time.Time `json:"rotatedAt,omitempty"`
	// What it may do of what its role may; all of it where absent.
	Scopes []KeyScope `json:"scopes,omitempty"`
	Tenant *string    `json:"tenant,omitempty"`
}

// APIKeyRequest: An API key to make.
type APIKeyRequest struct {
	// From when on it no longer works.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// The groups that it belongs to, as user tasks name them.
	Groups []string `json:"groups,omitempty"`
	// What people call it.
	Name string `json:"name"`
	// Networks and addresses that it may be used from, such as `10.0.0.0/8`; from everywhere where there are none.
	Networks []string `json:"networks,omitempty"`
	// Whether answers to it hold payloads (data, results, inputs, outputs, bodies). Where absent, those to a key that can
	// only read do not.
	Payloads *bool `json:"payloads,omitempty"`
	// The person that it stands for, as user tasks name people.
	Person *string `json:"person,omitempty"`
	// What it may do.
	Role Role `json:"role"`
	// What it may do of what its role may; all of it where absent.
	Scopes []KeyScope `json:"scopes,omitempty"`
	// The tenant that it is bound to; none where absent.
	Tenant *string `json:"tenant,omitempty"`
}

// ArchiveRequest: Why a dead letter is archived.
type ArchiveRequest struct {
	// Kept with it.
	Reason string `json:"reason"`
}

// Attempt: One attempt of a job.
type Attempt struct {
	// From 1.
	AttemptNumber int32      `json:"attemptNumber"`
	DurationMs    *int64     `json:"durationMs,omitempty"`
	Error         *JobError  `json:"error,omitempty"`
	FinishedAt    *time.Time `json:"finishedAt,omitempty"`
	StartedAt     time.Time  `json:"startedAt"`
	// `PROCESSING`, `COMPLETED`, `FAILED`, `WORKER_LOST`, `TIMED_OUT` or `CANCELLED`.
	Status   string `json:"status"`
	WorkerID string `json:"workerId"`
}

// AuditLine: A line of the audit log.
type AuditLine struct {
	// What was done.
	Action string `json:"action"`
	// A key's id, `loopback` or `system`.
	Actor string `json:"actor"`
	// Where the call came from.
	Address *string         `json:"address,omitempty"`
	At      time.Time       `json:"at"`
	Detail  json.RawMessage `json:"detail,omitempty"`
	ID      string          `json:"id"`
	// The id of the request.
	RequestID *string `json:"requestId,omitempty"`
	// To what.
	Subject string  `json:"subject"`
	Tenant  *string `json:"tenant,omitempty"`
	// What its client called itself.
	UserAgent *string `json:"userAgent,omitempty"`
}

// Backfill: What a backfill did.
type Backfill struct {
	// How many slots were left alone.
	Skipped int32 `json:"skipped"`
	// How many slots the span has.
	Slots int32 `json:"slots"`
	// How many executions were started.
	Started int32 `json:"started"`
}

// BackfillRequest: A past span.
type BackfillRequest struct {
	// Its first instant.
	From time.Time `json:"from"`
	// Its last instant, not in the future. The span may have at most 1,000 slots.
	To time.Time `json:"to"`
}

// Backoff: The waits between tries: `initial`, `initial × factor`, … up to `max`.
type Backoff struct {
	// By how much each wait is longer than the one before.
	Factor *float64 `json:"factor,omitempty"`
	// The wait before the first retry.
	Initial *string `json:"initial,omitempty"`
	// Whether waits are spread.
	Jitter *bool `json:"jitter,omitempty"`
	// The longest wait.
	Max *string `json:"max,omitempty"`
}

// Batch: A bulk operation.
type Batch struct {
	CreatedAt time.Time `json:"createdAt"`
	// How many are done.
	Done int64 `json:"done"`
	// How many could not be done.
	Failed int64  `json:"failed"`
	ID     string `json:"id"`
	// What it does: `dead_letters.requeue` or `dead_letters.archive`.
	Kind string `json:"kind"`
	// `running`, `completed`, `aborted` or `failed`.
	Status string `json:"status"`
	// How many items matched.
	Total     int64     `json:"total"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// BatchResultCreatedExecution: What became of one item.
type BatchResultCreatedExecution struct {
	// Whether it was there already; absent when it is new.
	Existing *bool   `json:"existing,omitempty"`
	ID       *string `json:"id,omitempty"`
	// Its job on `workflow-execution`.
	JobID *string `json:"jobId,omitempty"`
	// The job's place: smaller positions of a lane are served first.
	Position *int64           `json:"position,omitempty"`
	Status   *ExecutionStatus `json:"status,omitempty"`
	// Why.
	Error *Problem `json:"error,omitempty"`
}

// BatchResultEnqueued: What became of one item.
type BatchResultEnqueued struct {
	// Whether an unfinished job with the same unique key was there already; absent when it is new.
	Existing *bool `json:"existing,omitempty"`
	// Its id.
	ID *string `json:"id,omitempty"`
	// Its place: smaller positions of a lane are served first.
	Position *int64 `json:"position,omitempty"`
	// Its status.
	Status *JobStatus `json:"status,omitempty"`
	// Why.
	Error *Problem `json:"error,omitempty"`
}

// BulkArchiveRequest: Dead letters to archive.
type BulkArchiveRequest struct {
	// Says that an empty filter is meant.
	All *bool `json:"all,omitempty"`
	// Only counts them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Which ones. An empty filter needs `all`.
	Filter *DeadLetterFilter `json:"filter,omitempty"`
	// How many at most.
	Limit *int64 `json:"limit,omitempty"`
	// How fast.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Kept with each. Required unless it is a dry run.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this share cannot be archived, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// BulkCount: How many a dry run would have touched.
type BulkCount struct {
	Count int64 `json:"count"`
}

// BulkReplayRequest: Deliveries to replay.
type BulkReplayRequest struct {
	// Says that an empty filter is meant.
	All *bool `json:"all,omitempty"`
	// Whether triggers that have started their workflows do so again.
	AllTriggers *bool `json:"allTriggers,omitempty"`
	// Only counts them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Which ones. An empty filter needs `all`.
	Filter *DeliveryFilter `json:"filter,omitempty"`
	// How many at most.
	Limit *int64 `json:"limit,omitempty"`
	// How fast.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
}

// BulkRequeueRequest: Dead letters to requeue.
type BulkRequeueRequest struct {
	// Says that an empty filter is meant.
	All *bool `json:"all,omitempty"`
	// Another payload for each.
	Data json.RawMessage `json:"data,omitempty"`
	// Only counts them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Which ones. An empty filter needs `all`.
	Filter *DeadLetterFilter `json:"filter,omitempty"`
	// How many at most.
	Limit *int64 `json:"limit,omitempty"`
	// How often each is tried again from now on.
	MaxRetries *int32    `json:"maxRetries,omitempty"`
	Priority   *Priority `json:"priority,omitempty"`
	// How fast.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Stops when more than this share of the requeued jobs fails again, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// CancelRequest: How an execution is cancelled.
type CancelRequest struct {
	// Whether what completed is undone first, by the `compensate` of its nodes.
	Compensate *bool `json:"compensate,omitempty"`
	// For the timeline.
	Reason *string `json:"reason,omitempty"`
}

// ChangeEvent: A change.
type ChangeEvent struct {
	// Whether the execution ended.
	Ended *bool `json:"ended,omitempty"`
	// The execution that changed.
	ExecutionID *string `json:"executionId,omitempty"`
	// `queue`, `execution`, `settings`, or `resync` when changes were missed and everything is to be read again.
	Kind string `json:"kind"`
	// The queue whose jobs or slots changed.
	Queue *QueueName `json:"queue,omitempty"`
}

// Command: A command that was sent to an execution.
type Command struct {
	ExecutionID string `json:"executionId"`
	// What it asks for, such as `cancel` or `retry`.
	Intent   string `json:"intent"`
	Position int64  `json:"position"`
	// Why it was refused.
	Reason *string `json:"reason,omitempty"`
	// `pending`, `applied` or `refused`.
	Status string `json:"status"`
	// The step of the execution that applied or refused it, counted from 1.
	Step *int64 `json:"step,omitempty"`
}

// CommandAccepted: A command was noted.
type CommandAccepted struct {
	// Where to look what became of it: `/v1/commands/{position}`.
	CommandPosition int64 `json:"commandPosition"`
}

// Completion: A job that was done.
type Completion struct {
	ID         string `json:"id"`
	LeaseToken string `json:"leaseToken"`
	// What the handler returned.
	Result json.RawMessage `json:"result,omitempty"`
}

// CreatedExecution: An accepted execution.
type CreatedExecution struct {
	// Whether it was there already; absent when it is new.
	Existing *bool  `json:"existing,omitempty"`
	ID       string `json:"id"`
	// Its job on `workflow-execution`.
	JobID string `json:"jobId"`
	// The job's place: smaller positions of a lane are served first.
	Position int64           `json:"position"`
	Status   ExecutionStatus `json:"status"`
}

// DeadLetter: A job that failed for good.
type DeadLetter struct {
	ArchiveReason *string `json:"archiveReason,omitempty"`
	// How many attempts it took.
	AttemptCount int32 `json:"attemptCount"`
	// The attempts, oldest first. Not in lists.
	Attempts []Attempt `json:"attempts,omitempty"`
	// The payload with which it died. Not in lists where it has more than 4 KiB: ask for the dead letter.
	Data   json.RawMessage `json:"data,omitempty"`
	DiedAt time.Time       `json:"diedAt"`
	// The last error.
	Error       JobError `json:"error"`
	ExecutionID *string  `json:"executionId,omitempty"`
	// Groups failures of the same kind.
	Fingerprint string    `json:"fingerprint"`
	ID          string    `json:"id"`
	JobID       string    `json:"jobId"`
	JobType     string    `json:"jobType"`
	NodeID      *string   `json:"nodeId,omitempty"`
	Priority    Priority  `json:"priority"`
	Queue       QueueName `json:"queue"`
	// Why it died.
	Reason DeadReason `json:"reason"`
	// When it was requeued or archived.
	ResolvedAt *time.Time       `json:"resolvedAt,omitempty"`
	Status     DeadLetterStatus `json:"status"`
	Tenant     string           `json:"tenant"`
	Workflow   *string          `json:"workflow,omitempty"`
}

// DeadLetterChange: A dead letter after it was requeued or archived.
type DeadLetterChange struct {
	ID string `json:"id"`
	// Its job, which keeps its id.
	JobID  string           `json:"jobId"`
	Status DeadLetterStatus `json:"status"`
}

// DeadLetterFilter: Which dead letters are meant. Absent fields match everything; only open ones are ever changed.
type DeadLetterFilter struct {
	Fingerprint *string `json:"fingerprint,omitempty"`
	// Died at or after this instant.
	From    *time.Time        `json:"from,omitempty"`
	JobType *string           `json:"jobType,omitempty"`
	Queue   *QueueName        `json:"queue,omitempty"`
	Reason  *DeadReason       `json:"reason,omitempty"`
	Status  *DeadLetterStatus `json:"status,omitempty"`
	Tenant  *string           `json:"tenant,omitempty"`
	// Died before this instant.
	To       *time.Time `json:"to,omitempty"`
	Workflow *string    `json:"workflow,omitempty"`
}

// DeadLetterGroup: Dead letters of the same kind.
type DeadLetterGroup struct {
	// How many are open.
	Count int64 `json:"count"`
	// The error of the newest.
	Error       JobError  `json:"error"`
	Fingerprint string    `json:"fingerprint"`
	FirstAt     time.Time `json:"firstAt"`
	JobType     string    `json:"jobType"`
	LastAt      time.Time `json:"lastAt"`
}

// DeadLetterStatus is what the server calls DeadLetterStatus.
type DeadLetterStatus string

// What a DeadLetterStatus may be. A newer server may say something else.
const (
	DeadLetterStatusOpen     DeadLetterStatus = "open"
	DeadLetterStatusRequeued DeadLetterStatus = "requeued"
	DeadLetterStatusArchived DeadLetterStatus = "archived"
)

// DeadReason is what the server calls DeadReason.
type DeadReason string

// What a DeadReason may be. A newer server may say something else.
const (
	DeadReasonRetriesExhausted DeadReason = "retries_exhausted"
	DeadReasonNonRetryable     DeadReason = "non_retryable"
	DeadReasonWorkerLost       DeadReason = "worker_lost"
	DeadReasonTimeout          DeadReason = "timeout"
)

// Delivery: A request that came to an endpoint.
type Delivery struct {
	// The exact body, as `bodyEncoding` says. Not in lists, nor where it is not kept.
	Body *string `json:"body,omitempty"`
	// How long the body was, also where it is not kept.
	BodyBytes int64 `json:"bodyBytes"`
	// `text` if the body is UTF-8, else `base64`.
	BodyEncoding *string `json:"bodyEncoding,omitempty"`
	// A command line that sends it again, without what was redacted. Not in lists.
	Curl *string `json:"curl,omitempty"`
	// The delivery that it repeats.
	DuplicateOf *string `json:"duplicateOf,omitempty"`
	// What the provider calls the event.
	EventType *string `json:"eventType,omitempty"`
	// What it started.
	Executions []string `json:"executions"`
	// Names and values in order; signatures, tokens and cookies redacted. Not in lists.
	Headers [][]string `json:"headers,omitempty"`
	ID      string     `json:"id"`
	// Its job on `workflow-webhook`.
	JobID  *string `json:"jobId,omitempty"`
	Method string  `json:"method"`
	// When the triggers were matched.
	ProcessedAt *time.Time `json:"processedAt,omitempty"`
	// The provider's id of the event.
	ProviderEventID *string `json:"providerEventId,omitempty"`
	// Why it was rejected or parked.
	Reason        *string   `json:"reason,omitempty"`
	ReceivedAt    time.Time `json:"receivedAt"`
	RemoteAddress *string   `json:"remoteAddress,omitempty"`
	// The delivery that it replays.
	ReplayOf *string `json:"replayOf,omitempty"`
	// The secret that verified it.
	SecretID *string        `json:"secretId,omitempty"`
	Status   DeliveryStatus `json:"status"`
	// Path and query, values of telling names redacted.
	Target      string  `json:"target"`
	Tenant      string  `json:"tenant"`
	Traceparent *string `json:"traceparent,omitempty"`
	// What each trigger came to. Not in lists, nor before it was matched.
	Triggers  []DeliveryTriggerOutcome `json:"triggers,omitempty"`
	WebhookID string                   `json:"webhookId"`
}

// DeliveryFilter: Which deliveries are meant. Absent fields match everything; only those that were verified and not repetitions are
// ever replayed.
type DeliveryFilter struct {
	// What the provider calls the event.
	EventType *string `json:"eventType,omitempty"`
	// Received at or after this instant.
	From   *time.Time      `json:"from,omitempty"`
	Status *DeliveryStatus `json:"status,omitempty"`
	Tenant *string         `json:"tenant,omitempty"`
	// Received before this instant.
	To        *time.Time `json:"to,omitempty"`
	WebhookID *string    `json:"webhookId,omitempty"`
}

// DeliveryStatus is what the server calls DeliveryStatus.
type DeliveryStatus string

// What a DeliveryStatus may be. A newer server may say something else.
const (
	DeliveryStatusAccepted  DeliveryStatus = "accepted"
	DeliveryStatusHeld      DeliveryStatus = "held"
	DeliveryStatusMatched   DeliveryStatus = "matched"
	DeliveryStatusUnmatched DeliveryStatus = "unmatched"
	DeliveryStatusParked    DeliveryStatus = "parked"
	DeliveryStatusDuplicate DeliveryStatus = "duplicate"
	DeliveryStatusRejected  DeliveryStatus = "rejected"
	DeliveryStatusHandshake DeliveryStatus = "handshake"
)

// DeliveryTriggerError: Why a trigger could not decide or start.
type DeliveryTriggerError struct {
	// A stable word, such as `filter_failed`.
	Code string `json:"code"`
	// A sentence.
	Message string `json:"message"`
}

// DeliveryTriggerOutcome: What a trigger came to.
type DeliveryTriggerOutcome struct {
	Error       *DeliveryTriggerError `json:"error,omitempty"`
	ExecutionID *string               `json:"executionId,omitempty"`
	// `started`, `no_match` or `error`.
	Result    string `json:"result"`
	TriggerID string `json:"triggerId"`
	Workflow  string `json:"workflow"`
}

// Enqueued: An accepted job.
type Enqueued struct {
	// Whether an unfinished job with the same unique key was there already; absent when it is new.
	Existing *bool `json:"existing,omitempty"`
	// Its id.
	ID string `json:"id"`
	// Its place: smaller positions of a lane are served first.
	Position int64 `json:"position"`
	// Its status.
	Status JobStatus `json:"status"`
}

// Execution: An execution.
type Execution struct {
	CompletedAt   *time.Time      `json:"completedAt,omitempty"`
	CorrelationID *string         `json:"correlationId,omitempty"`
	CreatedAt     time.Time       `json:"createdAt"`
	Error         *ExecutionError `json:"error,omitempty"`
	ID            string          `json:"id"`
	// Not in lists.
	Input json.RawMessage `json:"input,omitempty"`
	JobID string          `json:"jobId"`
	// Once it is COMPLETED. Not in lists.
	Output json.RawMessage `json:"output,omitempty"`
	// The execution that it is a child of.
	Parent      *Parent         `json:"parent,omitempty"`
	Priority    Priority        `json:"priority"`
	StartedAt   *time.Time      `json:"startedAt,omitempty"`
	Status      ExecutionStatus `json:"status"`
	Tags        []string        `json:"tags,omitempty"`
	Tenant      string          `json:"tenant"`
	Traceparent *string         `json:"traceparent,omitempty"`
	Trigger     Trigger         `json:"trigger"`
	Version     int32           `json:"version"`
	Workflow    string          `json:"workflow"`
}

// ExecutionBatch: Executions to start in one commit.
type ExecutionBatch struct {
	// The executions, at most 10,000.
	Executions []ExecutionRequest `json:"executions"`
	// Whether valid executions are accepted beside invalid ones; otherwise it is all or nothing.
	Partial *bool `json:"partial,omitempty"`
}

// ExecutionError: Why an execution failed.
type ExecutionError struct {
	Code    *string `json:"code,omitempty"`
	Message string  `json:"message"`
	// The node that failed.
	Node *string `json:"node,omitempty"`
}

// ExecutionRequest: An execution to start.
type ExecutionRequest struct {
	// Whatever the caller knows it by.
	CorrelationID *string `json:"correlationId,omitempty"`
	// The input, checked against the workflow's schema; an empty object where absent.
	Input json.RawMessage `json:"input,omitempty"`
	// `high` where absent.
	Priority *Priority `json:"priority,omitempty"`
	// Words to find it by.
	Tags []string `json:"tags,omitempty"`
	// The key's own tenant, or `default`, where absent.
	Tenant *string `json:"tenant,omitempty"`
	// W3C trace context, carried to the workers. Goes before the header of that name.
	Traceparent *string `json:"traceparent,omitempty"`
	// The latest where absent.
	Version *int32 `json:"version,omitempty"`
	// The workflow's name.
	Workflow string `json:"workflow"`
}

// ExecutionStatus is what the server calls ExecutionStatus.
type ExecutionStatus string

// What a ExecutionStatus may be. A newer server may say something else.
const (
	ExecutionStatusPending      ExecutionStatus = "PENDING"
	ExecutionStatusRunning      ExecutionStatus = "RUNNING"
	ExecutionStatusWaiting      ExecutionStatus = "WAITING"
	ExecutionStatusCompleted    ExecutionStatus = "COMPLETED"
	ExecutionStatusFailed       ExecutionStatus = "FAILED"
	ExecutionStatusCancelled    ExecutionStatus = "CANCELLED"
	ExecutionStatusCompensating ExecutionStatus = "COMPENSATING"
)

// ExecutionWhy: Why an execution does not go on.
type ExecutionWhy struct {
	// A sentence.
	Detail string `json:"detail"`
	// Why its own job does not run, where that is what it waits for.
	Job *Why `json:"job,omitempty"`
	// `finished`, `waiting` (see `waitsFor`), `running`, or, where nobody can take it up, why its own job does not run,
	// such as `limit_workflow`.
	Reason string          `json:"reason"`
	Status ExecutionStatus `json:"status"`
	// What its nodes wait for, in the order of the definition, at most a hundred.
	WaitsFor []NodeWait `json:"waitsFor"`
}

// Failure: A job that failed.
type Failure struct {
	// What went wrong: an object, or just its message.
	Error      JobError `json:"error"`
	ID         string   `json:"id"`
	LeaseToken string   `json:"leaseToken"`
	// How long to wait before the next try, in place of the backoff.
	RetryAfter *string `json:"retryAfter,omitempty"`
	// Whether another try could help; true where absent.
	Retryable *bool `json:"retryable,omitempty"`
}

// Fault: One fault of an invalid request.
type Fault struct {
	// What is wrong and what would be right.
	Message string `json:"message"`
	// A JSON pointer into the body, or `/` and the name of the query parameter.
	Pointer string `json:"pointer"`
}

// FireReason is what the server calls FireReason.
type FireReason string

// What a FireReason may be. A newer server may say something else.
const (
	FireReasonTick     FireReason = "tick"
	FireReasonCatchup  FireReason = "catchup"
	FireReasonBackfill FireReason = "backfill"
	FireReasonManual   FireReason = "manual"
)

// Health: How the server is.
type Health struct {
	// `ok` or `ready`.
	Status string `json:"status"`
}

// Heartbeat: A lease to renew.
type Heartbeat struct {
	// How much longer from now on; as long as it was claimed for where absent.
	Extend     *string `json:"extend,omitempty"`
	ID         string  `json:"id"`
	LeaseToken string  `json:"leaseToken"`
	// How far it is, shown to whoever looks at the job.
	Progress json.RawMessage `json:"progress,omitempty"`
}

// Job: A job.
type Job struct {
	// Its attempts, oldest first. Not in lists.
	Attempts       []Attempt  `json:"attempts,omitempty"`
	Backoff        Backoff    `json:"backoff"`
	CompletedAt    *time.Time `json:"completedAt,omitempty"`
	ConcurrencyKey *string    `json:"concurrencyKey,omitempty"`
	CreatedAt      time.Time  `json:"createdAt"`
	// The payload. Not in lists where it has more than 4 KiB: ask for the job.
	Data json.RawMessage `json:"data,omitempty"`
	// The last error.
	Error       *JobError `json:"error,omitempty"`
	ExecutionID *string   `json:"executionId,omitempty"`
	ID          string    `json:"id"`
	JobType     string    `json:"jobType"`
	// The end of its lease, while it is leased.
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt,omitempty"`
	MaxRetries     int32      `json:"maxRetries"`
	NodeID         *string    `json:"nodeId,omitempty"`
	// Its place in its lane.
	Position int64    `json:"position"`
	Priority Priority `json:"priority"`
	// When the last attempt started.
	ProcessedAt *time.Time `json:"processedAt,omitempty"`
	// What the worker last said of how far it is.
	Progress   json.RawMessage `json:"progress,omitempty"`
	Queue      QueueName       `json:"queue"`
	Result     json.RawMessage `json:"result,omitempty"`
	RetryCount int32           `json:"retryCount"`
	// When it may (next) run.
	RunAt       time.Time `json:"runAt"`
	Status      JobStatus `json:"status"`
	Tags        []string  `json:"tags,omitempty"`
	Tenant      string    `json:"tenant"`
	Timeout     *string   `json:"timeout,omitempty"`
	Traceparent *string   `json:"traceparent,omitempty"`
	UniqueKey   *string   `json:"uniqueKey,omitempty"`
	// Who holds or held it last.
	WorkerID *string `json:"workerId,omitempty"`
	// The workflow that it counts against.
	Workflow *string `json:"workflow,omitempty"`
}

// JobBatch: Jobs to enqueue in one commit.
type JobBatch struct {
	// The jobs, at most 10,000.
	Jobs []JobRequest `json:"jobs"`
	// Whether valid jobs are accepted beside invalid ones; otherwise it is all or nothing.
	Partial *bool `json:"partial,omitempty"`
}

// JobChange: A job after it was changed.
type JobChange struct {
	ID string `json:"id"`
	// Its status now.
	Status JobStatus `json:"status"`
}

// JobError: An error of a job.
type JobError struct {
	// For programs.
	Code *string `json:"code,omitempty"`
	// Whatever else the handler sent.
	Details json.RawMessage `json:"details,omitempty"`
	// For people.
	Message string `json:"message"`
}

// JobRequest: A job to enqueue.
type JobRequest struct {
	// The waits between tries.
	Backoff *Backoff `json:"backoff,omitempty"`
	// At most one leased job of the tenant has this key.
	ConcurrencyKey *string `json:"concurrencyKey,omitempty"`
	// The payload, carried to the worker as it is; `null` where absent.
	Data json.RawMessage `json:"data,omitempty"`
	// After which wait it may run.
	Delay *string `json:"delay,omitempty"`
	// What kind of work it is; chooses the handler.
	JobType string `json:"jobType"`
	// How often it is tried again after a failure.
	MaxRetries *int32 `json:"maxRetries,omitempty"`
	// `normal` where absent.
	Priority *Priority `json:"priority,omitempty"`
	// When it may run. Not together with `delay`.
	RunAt *time.Time `json:"runAt,omitempty"`
	// Words to find it by.
	Tags []string `json:"tags,omitempty"`
	// The key's own tenant, or `default`, where absent.
	Tenant *string `json:"tenant,omitempty"`
	// The longest attempt.
	Timeout *string `json:"timeout,omitempty"`
	// W3C trace context, carried to the worker. Goes before the header of that name.
	Traceparent *string `json:"traceparent,omitempty"`
	// At most one unfinished job of the tenant has this key.
	UniqueKey *string `json:"uniqueKey,omitempty"`
}

// JobStatus is what the server calls JobStatus.
type JobStatus string

// What a JobStatus may be. A newer server may say something else.
const (
	JobStatusScheduled  JobStatus = "SCHEDULED"
	JobStatusQueued     JobStatus = "QUEUED"
	JobStatusProcessing JobStatus = "PROCESSING"
	JobStatusWaiting    JobStatus = "WAITING"
	JobStatusRetryWait  JobStatus = "RETRY_WAIT"
	JobStatusCompleted  JobStatus = "COMPLETED"
	JobStatusFailed     JobStatus = "FAILED"
	JobStatusDeadLetter JobStatus = "DEAD_LETTER"
	JobStatusCancelled  JobStatus = "CANCELLED"
)

// KeyRotation: How to rotate a key.
type KeyRotation struct {
	// How long the secret of before holds, up to 30 d; 24 h where absent.
	Overlap *string `json:"overlap,omitempty"`
}

// KeyScope: A part of what a key may do.
//
// An action is a word such as `jobs.enqueue`, `jobs.*`, `*.read` or `*`; a name is whole or ends in `*`. A scope with names
// grants only those of its actions that can be limited by such names.
type KeyScope struct {
	// What it grants.
	Actions []string `json:"actions"`
	// Only on these job types.
	JobTypes []string `json:"jobTypes,omitempty"`
	// Only on these queues.
	Queues []string `json:"queues,omitempty"`
	// Only for these tenants. Polling for all tenants at once needs `*` here.
	Tenants []string `json:"tenants,omitempty"`
	// Only on these workflows.
	Workflows []string `json:"workflows,omitempty"`
}

// LeaseOutcome is what the server calls LeaseOutcome.
type LeaseOutcome string

// What a LeaseOutcome may be. A newer server may say something else.
const (
	LeaseOutcomeOk          LeaseOutcome = "ok"
	LeaseOutcomeAlreadyDone LeaseOutcome = "already_done"
	LeaseOutcomeCancelled   LeaseOutcome = "cancelled"
	LeaseOutcomeLeaseLost   LeaseOutcome = "lease_lost"
	LeaseOutcomeRejected    LeaseOutcome = "rejected"
)

// LimitChanges: The limits of one queue. A field that is absent keeps its limit, null removes what was set.
type LimitChanges struct {
	// How many jobs may be processed at once.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// What each tenant gets that has no limit of its own. Only on `/v1/limits`.
	TenantMaxConcurrent *int32 `json:"tenantMaxConcurrent,omitempty"`
	// What each workflow gets that has no limit of its own. Only on `/v1/limits`.
	WorkflowMaxConcurrent *int32 `json:"workflowMaxConcurrent,omitempty"`
}

// ManualRun: An execution that was started by hand.
type ManualRun struct {
	ExecutionID string `json:"executionId"`
	// The instant under which it stands in the history.
	ScheduledFor time.Time `json:"scheduledFor"`
}

// MapItems: How far a `MAP` is.
type MapItems struct {
	// How many have completed, collected failures included.
	Completed int32 `json:"completed"`
	// How many were started.
	Started int32 `json:"started"`
	// How many items there are.
	Total int32 `json:"total"`
}

// Misfire is what the server calls Misfire.
type Misfire string

// What a Misfire may be. A newer server may say something else.
const (
	MisfireSkip   Misfire = "skip"
	MisfireLatest Misfire = "latest"
	MisfireAll    Misfire = "all"
)

// NewAPIKey: A new API key, with its secret.
type NewAPIKey struct {
	CreatedAt time.Time `json:"createdAt"`
	// From when on it no longer works.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// The groups that it belongs to.
	Groups []string `json:"groups,omitempty"`
	ID     string   `json:"id"`
	// When it was last used, to about a minute.
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
	Name       string     `json:"name"`
	// From where it may be used; from everywhere where absent.
	Networks []string `json:"networks,omitempty"`
	// Whether answers to it hold payloads.
	Payloads bool `json:"payloads"`
	// The person that it stands for.
	Person *string `json:"person,omitempty"`
	// The first characters of the secret, to tell keys apart.
	Prefix string `json:"prefix"`
	// Until when the secret of before the last rotation holds.
	PreviousUntil *time.Time `json:"previousUntil,omitempty"`
	RevokedAt     *time.Time `json:"revokedAt,omitempty"`
	Role          Role       `json:"role"`
	// When its secret was last changed.
	RotatedAt *time.Time `json:"rotatedAt,omitempty"`
	// What it may do of what its role may; all of it where absent.
	Scopes []KeyScope `json:"scopes,omitempty"`
	Tenant *string    `json:"tenant,omitempty"`
	// The secret, shown in this answer only; null when the call is repeated under its idempotency key.
	Key *string `json:"key,omitempty"`
}

// NewRuns: What becomes of new runs of a paused workflow.
type NewRuns string

// What a NewRuns may be. A newer server may say something else.
const (
	NewRunsQueue  NewRuns = "queue"
	NewRunsRefuse NewRuns = "refuse"
)

// Node: A node of an execution.
type Node struct {
	// Attempts so far.
	Attempts int32 `json:"attempts"`
	// Where a `WAIT_WEBHOOK` takes its one request, until it has got one. Not shown to keys that may only read.
	CallbackURL *string         `json:"callbackUrl,omitempty"`
	Error       *JobError       `json:"error,omitempty"`
	FinishedAt  *time.Time      `json:"finishedAt,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	// How far a `MAP` is, once it has started.
	MapItems *MapItems `json:"mapItems,omitempty"`
	// As the definition has it; a compensation as `charge:compensate`, an item of a `MAP` as `notify[17]`.
	NodeID    string          `json:"nodeId"`
	Output    json.RawMessage `json:"output,omitempty"`
	StartedAt *time.Time      `json:"startedAt,omitempty"`
	// `PENDING`, `RUNNING`, `WAITING`, `RETRY_WAIT`, `COMPLETED`, `SKIPPED`, `FAILED` or `CANCELLED`.
	Status string `json:"status"`
	// Such as `SERVICE_TASK`, `TIMER` or `MAP`.
	Type string `json:"type"`
	// What it waits for, while it is `WAITING`.
	WaitsFor *NodeWait `json:"waitsFor,omitempty"`
}

// NodeWait: What a node waits for.
type NodeWait struct {
	// A sentence.
	Detail string `json:"detail"`
	// The child that it waits for.
	ExecutionID *string `json:"executionId,omitempty"`
	// Why its job does not run.
	Job *Why `json:"job,omitempty"`
	// Its job.
	JobID *string `json:"jobId,omitempty"`
	// The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`.
	NodeID string `json:"nodeId"`
	// `timer`, `signal`, `user_task`, `child`, `callback`, `delay`, `job_queued`, `job_running` or `retry_wait`.
	Reason string `json:"reason"`
	// Such as `TIMER`.
	Type string `json:"type"`
	// When the clock does something about it: the timer ends, the wait times out, the job is tried again.
	Until *time.Time `json:"until,omitempty"`
}

// Outcome: What became of one report.
type Outcome struct {
	ID string `json:"id"`
	// The new end of the lease, after a heartbeat.
	LeaseExpiresAt *time.Time   `json:"leaseExpiresAt,omitempty"`
	Outcome        LeaseOutcome `json:"outcome"`
	// Why the report was rejected. The lease holds as before.
	Reason *string `json:"reason,omitempty"`
}

// Outcomes: What became of each report, in order.
type Outcomes struct {
	// One result for each report.
	Results []Outcome `json:"results"`
}

// Overlap is what the server calls Overlap.
type Overlap string

// What a Overlap may be. A newer server may say something else.
const (
	OverlapAllow          Overlap = "allow"
	OverlapSkip           Overlap = "skip"
	OverlapQueueOne       Overlap = "queueOne"
	OverlapCancelPrevious Overlap = "cancelPrevious"
)

// Parent: The execution that another one is a child of.
type Parent struct {
	ExecutionID string `json:"executionId"`
	// The node that started it, or the item of a `MAP` as `book[3]`.
	NodeID string `json:"nodeId"`
}

// PauseRequest: How a workflow is paused.
type PauseRequest struct {
	// `queue` where absent.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
}

// Percentiles: Three percentiles in milliseconds.
type Percentiles struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	P99 int64 `json:"p99"`
}

// Poll: A worker asks for jobs.
type Poll struct {
	// The job types it handles.
	JobTypes []string `json:"jobTypes"`
	// How long the leases hold; the queue's default where absent.
	Lease *string `json:"lease,omitempty"`
	// How many jobs at most; one where absent.
	MaxJobs *int32 `json:"maxJobs,omitempty"`
	// Only jobs of this tenant.
	Tenant *string `json:"tenant,omitempty"`
	// How long to wait for a job, up to 30 s; not at all where absent.
	Wait *string `json:"wait,omitempty"`
	// The worker's name, random for each process.
	WorkerID string `json:"workerId"`
}

// PolledJob: A leased job.
type PolledJob struct {
	// The number of this attempt, from 1.
	Attempt int32           `json:"attempt"`
	Data    json.RawMessage `json:"data"`
	// When the time of this attempt is up, where the job has a `timeout`. No heartbeat carries the lease beyond it.
	Deadline    *time.Time `json:"deadline,omitempty"`
	ExecutionID *string    `json:"executionId,omitempty"`
	ID          string     `json:"id"`
	// The same for every attempt of the job: what systems outside are to recognize a repeated effect by.
	IdempotencyKey string `json:"idempotencyKey"`
	JobType        string `json:"jobType"`
	// The error of the last attempt that failed, if one did.
	LastError *JobError `json:"lastError,omitempty"`
	// When the lease ends unless a heartbeat renews it.
	LeaseExpiresAt time.Time `json:"leaseExpiresAt"`
	// The token of the lease, to be sent with every report. A secret of this worker.
	LeaseToken string `json:"leaseToken"`
	// How often the job is tried again after a failure.
	MaxRetries int32   `json:"maxRetries"`
	NodeID     *string `json:"nodeId,omitempty"`
	// The last progress that an attempt before this one reported.
	Progress    json.RawMessage `json:"progress,omitempty"`
	Tenant      string          `json:"tenant"`
	Traceparent *string         `json:"traceparent,omitempty"`
	Workflow    *string         `json:"workflow,omitempty"`
}

// PolledJobs: The jobs that a poll gave.
type PolledJobs struct {
	// In the order in which to start them; empty when there is none.
	Jobs []PolledJob `json:"jobs"`
}

// Preview: What is to come.
type Preview struct {
	// The expression in words.
	Description string `json:"description"`
	// The next slots.
	Next []string `json:"next"`
	// What changes of the clock do to slots to come.
	Notes []string `json:"notes"`
}

// PreviewRequest: An expression to preview.
type PreviewRequest struct {
	// How many slots, 1 to 1000; 5 where absent.
	Count *int32 `json:"count,omitempty"`
	// The cron expression.
	Cron string `json:"cron"`
	// The instant after which to look; now where absent.
	From *time.Time `json:"from,omitempty"`
	// An IANA time zone; `UTC` where absent.
	Timezone *string `json:"timezone,omitempty"`
}

// Priority is what the server calls Priority.
type Priority string

// What a Priority may be. A newer server may say something else.
const (
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = "normal"
	PriorityLow    Priority = "low"
)

// Problem: A problem document (RFC 9457).
type Problem struct {
	// A stable word for programs.
	Code string `json:"code"`
	// A sentence about this very case.
	Detail string `json:"detail"`
	// The faults of an invalid request, each with its place.
	Errors []Fault `json:"errors,omitempty"`
	// With `quota_exceeded`: how much there may be.
	Limit *int64 `json:"limit,omitempty"`
	// With `quota_exceeded`: which quota.
	Quota *string `json:"quota,omitempty"`
	// The HTTP status.
	Status int32 `json:"status"`
	// The HTTP status in words.
	Title string `json:"title"`
	// A URN that ends in the code.
	Type string `json:"type"`
	// With `quota_exceeded`: how much there is.
	Used *int64 `json:"used,omitempty"`
}

// Queue: A queue with its figures, as far as the key sees its jobs.
type Queue struct {
	// How long the oldest queued job has been claimable; null when there is none.
	OldestAgeMs *int64 `json:"oldestAgeMs,omitempty"`
	// Leased.
	Processing int64 `json:"processing"`
	// Waiting for a claim.
	Queued int64 `json:"queued"`
	// Waiting for the next try.
	RetryWait int64 `json:"retryWait"`
	// Waiting for their time.
	Scheduled int64 `json:"scheduled"`
	// Parked executions.
	Waiting int64 `json:"waiting"`
	// Open dead letters.
	DeadLetters int64 `json:"deadLetters"`
	// The share of them that did not complete, from 0 to 1.
	ErrorRate1m float64 `json:"errorRate1m"`
	// `running`, `paused` or `draining`.
	Mode string `json:"mode"`
	// Whether it hands out no jobs.
	Paused bool      `json:"paused"`
	Queue  QueueName `json:"queue"`
	// From claimed to settled, in the last minute; null when nothing ended.
	RunMs *Percentiles `json:"runMs,omitempty"`
	// Jobs that ended in the last minute.
	Throughput1m int64 `json:"throughput1m"`
	// By priority.
	Tiers map[string]QueueCounts `json:"tiers"`
	// From claimable to claimed, in the last minute; null when nothing ended.
	WaitMs *Percentiles `json:"waitMs,omitempty"`
}

// QueueCounts: Jobs of a queue by what they wait for.
type QueueCounts struct {
	// How long the oldest queued job has been claimable; null when there is none.
	OldestAgeMs *int64 `json:"oldestAgeMs,omitempty"`
	// Leased.
	Processing int64 `json:"processing"`
	// Waiting for a claim.
	Queued int64 `json:"queued"`
	// Waiting for the next try.
	RetryWait int64 `json:"retryWait"`
	// Waiting for their time.
	Scheduled int64 `json:"scheduled"`
	// Parked executions.
	Waiting int64 `json:"waiting"`
}

// QueueLimits: The limits in force on one queue, each with where it comes from.
type QueueLimits struct {
	// How many jobs may be processed at once; null is unlimited.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// `override`, `definition`, `default` or `settings`.
	Source string `json:"source"`
	// What each tenant gets that has no limit of its own. Only on `/v1/limits`.
	TenantMaxConcurrent *int32  `json:"tenantMaxConcurrent,omitempty"`
	TenantSource        *string `json:"tenantSource,omitempty"`
	// What each workflow gets that has no limit of its own. Only on `/v1/limits`.
	WorkflowMaxConcurrent *int32  `json:"workflowMaxConcurrent,omitempty"`
	WorkflowSource        *string `json:"workflowSource,omitempty"`
}

// QueueMode: What a queue does now.
type QueueMode struct {
	// `running`, `paused` or `draining`.
	Mode string `json:"mode"`
	// Whether it hands out no jobs.
	Paused bool      `json:"paused"`
	Queue  QueueName `json:"queue"`
}

// QueueName is what the server calls QueueName.
type QueueName string

// What a QueueName may be. A newer server may say something else.
const (
	QueueNameWorkflowExecution QueueName = "workflow-execution"
	QueueNameWorkflowNode      QueueName = "workflow-node"
	QueueNameWorkflowScheduled QueueName = "workflow-scheduled"
	QueueNameWorkflowWebhook   QueueName = "workflow-webhook"
)

// ReceivedDelivery: A delivery that was taken in.
type ReceivedDelivery struct {
	// True for a repetition, which starts nothing.
	Deduplicated *bool `json:"deduplicated,omitempty"`
	// The delivery; of a repetition, the first one.
	DeliveryID string `json:"deliveryId"`
	// `held` where the endpoint is paused or over its rate: the delivery is stored, and matched later.
	Status *string `json:"status,omitempty"`
}

// RefusedDelivery: A delivery that was not taken in.
type RefusedDelivery struct {
	// A stable word: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
	// `rate_limited`, `too_large`, `paused`, `unavailable`.
	Error string `json:"error"`
}

// RegisteredWorkflow: What a registration answers.
type RegisteredWorkflow struct {
	// Hex SHA-256 of the definition as JSON with sorted keys.
	ContentHash *string    `json:"contentHash,omitempty"`
	CreatedAt   *time.Time `json:"createdAt,omitempty"`
	// The definition. Not in lists.
	Definition json.RawMessage `json:"definition,omitempty"`
	// `limits.maxConcurrent` of the definition.
	MaxConcurrent *int32  `json:"maxConcurrent,omitempty"`
	Name          *string `json:"name,omitempty"`
	// What becomes of new runs while it is paused.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
	// Whether executions of it stay queued.
	Paused *bool `json:"paused,omitempty"`
	// The tenant that owns it; absent for one that all tenants share.
	Tenant  *string `json:"tenant,omitempty"`
	Version *int32  `json:"version,omitempty"`
	// What is better done otherwise. Only in the answer to a registration.
	Warnings []Fault `json:"warnings,omitempty"`
	// Always true: faults are a problem with status 422.
	Valid *bool `json:"valid,omitempty"`
}

// Release: A job to give back.
type Release struct {
	// How long it waits before it may run again; not at all where absent.
	Delay      *string `json:"delay,omitempty"`
	ID         string  `json:"id"`
	LeaseToken string  `json:"leaseToken"`
}

// ReplayRequest: How a delivery is replayed.
type ReplayRequest struct {
	// Whether triggers that have started their workflows do so again.
	AllTriggers *bool `json:"allTriggers,omitempty"`
}

// ReplayedDelivery: A delivery that was replayed.
type ReplayedDelivery struct {
	// The new delivery.
	DeliveryID string `json:"deliveryId"`
	// The one that it repeats.
	ReplayOf string `json:"replayOf"`
}

// ReprioritizeRequest: Another priority.
type ReprioritizeRequest struct {
	Priority Priority `json:"priority"`
}

// RequeueRequest: What changes with a requeue. Absent fields keep what the job had.
type RequeueRequest struct {
	// Another payload.
	Data json.RawMessage `json:"data,omitempty"`
	// How often it is tried again from now on.
	MaxRetries *int32    `json:"maxRetries,omitempty"`
	Priority   *Priority `json:"priority,omitempty"`
}

// RerunRequest: From where an execution is run again.
type RerunRequest struct {
	// Whether the rerun, if it fails, undoes what it took over as well. Without it, it undoes only what it did itself.
	CompensateOriginal *bool `json:"compensateOriginal,omitempty"`
	// It and all that come after it start again; the results of the others are taken over.
	FromNode string `json:"fromNode"`
	// Another input; that of the first run where absent.
	Input json.RawMessage `json:"input,omitempty"`
}

// Role is what the server calls Role.
type Role string

// What a Role may be. A newer server may say something else.
const (
	RoleAdmin    Role = "admin"
	RoleOperator Role = "operator"
	RoleClient   Role = "client"
	RoleWorker   Role = "worker"
	RoleViewer   Role = "viewer"
)

// RotateSecretRequest: Another secret for an endpoint.
type RotateSecretRequest struct {
	// For how long the present ones hold beside it, up to 30d; a day where absent.
	Overlap *string `json:"overlap,omitempty"`
	// What it is for; `signature` where absent.
	Purpose *WebhookSecretPurpose `json:"purpose,omitempty"`
	// The new one. Where absent, one is made if the provider takes any.
	Secret *string `json:"secret,omitempty"`
}

// RotatedSecret: An endpoint whose secret was rotated.
type RotatedSecret struct {
	// The secret that was made, shown in this answer only.
	Secret *string `json:"secret,omitempty"`
	// How the endpoint is now.
	Webhook Webhook `json:"webhook"`
}

// SavedWebhook: An endpoint that was saved, with the secrets that were made for it.
type SavedWebhook struct {
	CreatedAt time.Time     `json:"createdAt"`
	Dedupe    WebhookDedupe `json:"dedupe"`
	// Where it is for the sender: its `publicUrl`, or made of the server's; absent where neither is known.
	FullURL *string `json:"fullUrl,omitempty"`
	ID      string  `json:"id"`
	// The largest body in bytes, as it was set.
	MaxBody *int64 `json:"maxBody,omitempty"`
	// The largest body in bytes that is in force.
	MaxBodyEffective int64           `json:"maxBodyEffective"`
	Name             string          `json:"name"`
	Paused           bool            `json:"paused"`
	Provider         WebhookProvider `json:"provider"`
	// The address that the sender calls, as it was set.
	PublicURL   *string           `json:"publicUrl,omitempty"`
	RateLimit   *WebhookRateLimit `json:"rateLimit,omitempty"`
	RespondWith int32             `json:"respondWith"`
	Scheme      WebhookScheme     `json:"scheme"`
	// Its secrets without their texts. Not in lists.
	Secrets   []WebhookSecret  `json:"secrets,omitempty"`
	Tenant    string           `json:"tenant"`
	Triggers  []WebhookTrigger `json:"triggers"`
	UpdatedAt time.Time        `json:"updatedAt"`
	// Where it is, below the server's address.
	URL string `json:"url"`
	// Whether deliveries are verified at all: not by the provider `none`.
	Verified bool `json:"verified"`
	// Grows with each change.
	Version int64 `json:"version"`
	// What is legal but may not be meant.
	Warnings []string `json:"warnings"`
	// The secret that was made, shown in this answer only.
	Secret *string `json:"secret,omitempty"`
	// The verify token that was made, shown in this answer only.
	VerifyToken *string `json:"verifyToken,omitempty"`
}

// Schedule: A schedule.
type Schedule struct {
	CatchUpWindow string    `json:"catchUpWindow"`
	CreatedAt     time.Time `json:"createdAt"`
	Cron          string    `json:"cron"`
	// The expression in words.
	Description string     `json:"description"`
	EndAt       *time.Time `json:"endAt,omitempty"`
	ID          string     `json:"id"`
	// Not in lists.
	Input   json.RawMessage `json:"input,omitempty"`
	Jitter  string          `json:"jitter"`
	Misfire Misfire         `json:"misfire"`
	Name    string          `json:"name"`
	// The next slot; null while it is paused, and when there is none any more.
	NextRunAt *time.Time `json:"nextRunAt,omitempty"`
	Overlap   Overlap    `json:"overlap"`
	Paused    bool       `json:"paused"`
	Priority  Priority   `json:"priority"`
	StartAt   *time.Time `json:"startAt,omitempty"`
	Tenant    string     `json:"tenant"`
	Timezone  string     `json:"timezone"`
	UpdatedAt time.Time  `json:"updatedAt"`
	// What is legal but often not meant.
	Warnings []string `json:"warnings"`
	Workflow string   `json:"workflow"`
}

// ScheduleRequest: A schedule to save.
type ScheduleRequest struct {
	// How old a missed slot may be to be run; `24h` where absent.
	CatchUpWindow *string `json:"catchUpWindow,omitempty"`
	// Minute, hour, day of month, month, day of week; or an alias such as `@daily`.
	Cron string `json:"cron"`
	// No slot after this instant.
	EndAt *time.Time `json:"endAt,omitempty"`
	// The input of its executions, checked against the workflow's schema; an empty object where absent.
	Input json.RawMessage `json:"input,omitempty"`
	// Executions start up to this much later, each schedule's by its own fixed share.
	Jitter *string `json:"jitter,omitempty"`
	// What happens to slots that were missed; `latest` where absent.
	Misfire *Misfire `json:"misfire,omitempty"`
	// Unique within the tenant.
	Name string `json:"name"`
	// What happens to a slot while an execution of the schedule has not ended; `skip` where absent.
	Overlap *Overlap `json:"overlap,omitempty"`
	// Whether it is paused; where absent, a new schedule is not, and another stays as it is.
	Paused *bool `json:"paused,omitempty"`
	// `normal` where absent.
	Priority *Priority `json:"priority,omitempty"`
	// No slot before this instant.
	StartAt *time.Time `json:"startAt,omitempty"`
	// The key's own tenant, or `default`, where absent. A schedule stays with its tenant.
	Tenant *string `json:"tenant,omitempty"`
	// An IANA time zone; `UTC` where absent.
	Timezone *string `json:"timezone,omitempty"`
	// The workflow that it starts, in its latest version at each slot.
	Workflow string `json:"workflow"`
}

// ScheduleRun: A slot in the history of a schedule.
type ScheduleRun struct {
	// What it started.
	ExecutionID *string `json:"executionId,omitempty"`
	// When it was fired, put to wait, or skipped.
	FiredAt time.Time `json:"firedAt"`
	// How much later that was.
	LateMs int64      `json:"lateMs"`
	Reason FireReason `json:"reason"`
	// The slot's instant.
	ScheduledFor time.Time `json:"scheduledFor"`
	// Why it was skipped: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`, `changed`, …
	SkipReason *string    `json:"skipReason,omitempty"`
	Status     SlotStatus `json:"status"`
}

// Secret: A secret without its value.
type Secret struct {
	CreatedAt time.Time `json:"createdAt"`
	// The hosts that it may be sent to.
	Hosts []string `json:"hosts"`
	Name  string   `json:"name"`
	// `store`, `environment` or `file`.
	Provider string `json:"provider"`
	// The variable or the file.
	Reference *string `json:"reference,omitempty"`
	Tenant    string  `json:"tenant"`
	// When its value, its place or its hosts were last changed.
	UpdatedAt time.Time `json:"updatedAt"`
}

// SecretRequest: A secret to store. One of `value`, `environment` and `file`. No `Debug`: it would print the value.
type SecretRequest struct {
	// A variable of the environment of whoever sends it, named `TRUNKLINE_SECRET_…`. For keys that are bound to no tenant.
	Environment *string `json:"environment,omitempty"`
	// A file in the directory of the setting `secrets.directory`. For keys that are bound to no tenant.
	File *string `json:"file,omitempty"`
	// The hosts that it may be sent to: names, `*.example.com`, addresses.
	Hosts []string `json:"hosts"`
	// The value itself, sealed before it is stored and never shown again.
	Value *string `json:"value,omitempty"`
}

// Session: Who calls.
type Session struct {
	// The id of the API key, or `loopback` for a caller on this machine while there are no keys.
	Actor string `json:"actor"`
	// What requests of this session that change something repeat in `X-CSRF-Token`. Only where there is a session.
	CsrfToken *string `json:"csrfToken,omitempty"`
	// When the session ends. Only where there is one.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// What the caller may do.
	Role Role `json:"role"`
	// The tenant that the caller is bound to.
	Tenant *string `json:"tenant,omitempty"`
}

// SignalRequest: A signal.
type SignalRequest struct {
	// What it carries; null where absent. It becomes the output of the node that takes the signal.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// SlotStatus is what the server calls SlotStatus.
type SlotStatus string

// What a SlotStatus may be. A newer server may say something else.
const (
	SlotStatusFired   SlotStatus = "fired"
	SlotStatusWaiting SlotStatus = "waiting"
	SlotStatusSkipped SlotStatus = "skipped"
)

// Tenant: A tenant.
type Tenant struct {
	// When it was first used. Not in the answer to its making.
	CreatedAt *time.Time `json:"createdAt,omitempty"`
	Name      string     `json:"name"`
}

// TenantQuotas: The quotas in force.
type TenantQuotas struct {
	DeliveryBytes *int64 `json:"deliveryBytes,omitempty"`
	HistoryRows   *int64 `json:"historyRows,omitempty"`
	// For each API key.
	IdempotencyKeys *int64 `json:"idempotencyKeys,omitempty"`
	OpenExecutions  *int64 `json:"openExecutions,omitempty"`
	OpenJobs        *int64 `json:"openJobs,omitempty"`
	PayloadBytes    *int64 `json:"payloadBytes,omitempty"`
}

// TenantQuotasRequest: Quotas to change: a number, `"unlimited"`, or null for the default.
type TenantQuotasRequest struct {
	DeliveryBytes   map[string]json.RawMessage `json:"deliveryBytes,omitempty"`
	HistoryRows     map[string]json.RawMessage `json:"historyRows,omitempty"`
	IdempotencyKeys map[string]json.RawMessage `json:"idempotencyKeys,omitempty"`
	OpenExecutions  map[string]json.RawMessage `json:"openExecutions,omitempty"`
	OpenJobs        map[string]json.RawMessage `json:"openJobs,omitempty"`
	PayloadBytes    map[string]json.RawMessage `json:"payloadBytes,omitempty"`
}

// TenantRequest: A tenant to make.
type TenantRequest struct {
	// Its name.
	Name string `json:"name"`
}

// TenantUsage: What a tenant uses.
type TenantUsage struct {
	// When it was counted.
	AsOf time.Time `json:"asOf"`
	// Bytes of deliveries of webhooks that are kept, with 4 KiB for each beside its body.
	DeliveryBytes UsageFigure `json:"deliveryBytes"`
	// Jobs and executions that have ended and are kept.
	HistoryRows UsageFigure `json:"historyRows"`
	// Answers kept for repeats.
	IdempotencyKeys UsageFigure `json:"idempotencyKeys"`
	// Executions that have not ended.
	OpenExecutions UsageFigure `json:"openExecutions"`
	// Jobs that have not ended.
	OpenJobs UsageFigure `json:"openJobs"`
	// Bytes of the data of open jobs and of the inputs of open executions.
	PayloadBytes UsageFigure `json:"payloadBytes"`
	Tenant       string      `json:"tenant"`
}

// TestedWebhook: A sample that was sent to an endpoint.
type TestedWebhook struct {
	DeliveryID string `json:"deliveryId"`
	// What the sample is about.
	EventType *string `json:"eventType,omitempty"`
}

// TimelineEvent: A line of the timeline of an execution.
type TimelineEvent struct {
	At time.Time `json:"at"`
	// A sentence more.
	Detail *string `json:"detail,omitempty"`
	// A stable word.
	Kind     string  `json:"kind"`
	NodeID   *string `json:"nodeId,omitempty"`
	Position int64   `json:"position"`
}

// Trigger: What started an execution.
type Trigger struct {
	// `user`, `schedule`, `webhook`, `event` or `parent`.
	Kind string `json:"kind"`
}

// UsageFigure: How much there is of something, and how much there may be.
type UsageFigure struct {
	// How much there may be; null is unlimited. Of idempotency keys it is for each API key.
	Quota *int64 `json:"quota,omitempty"`
	// How much there is.
	Used int64 `json:"used"`
}

// UserTask: A user task.
type UserTask struct {
	// The person who has to do it.
	Assignee *string `json:"assignee,omitempty"`
	// When it was claimed.
	ClaimedAt *time.Time `json:"claimedAt,omitempty"`
	// The person who has claimed it, or the id of a key that stands for none.
	ClaimedBy *string `json:"claimedBy,omitempty"`
	// When it was closed.
	ClosedAt *time.Time `json:"closedAt,omitempty"`
	// The id of the key with which it was done.
	CompletedBy *string `json:"completedBy,omitempty"`
	// When it should be done.
	DueAt *time.Time `json:"dueAt,omitempty"`
	// When it was handed on.
	EscalatedAt *time.Time `json:"escalatedAt,omitempty"`
	ExecutionID string     `json:"executionId"`
	// The JSON Schema of what is submitted.
	Form json.RawMessage `json:"form,omitempty"`
	// The group of which somebody has to do it.
	Group *string `json:"group,omitempty"`
	// What the person is told.
	Input    json.RawMessage `json:"input,omitempty"`
	NodeID   string          `json:"nodeId"`
	OpenedAt time.Time       `json:"openedAt"`
	// Which round of the node, from 1; a retry or a `repeat` opens another task.
	Round    int32          `json:"round"`
	Status   UserTaskStatus `json:"status"`
	Tenant   string         `json:"tenant"`
	Workflow string         `json:"workflow"`
}

// UserTaskCompletion: What a person submits.
type UserTaskCompletion struct {
	// Checked against the task's form; null where absent. It becomes the output of the node.
	Output json.RawMessage `json:"output,omitempty"`
	// The round of the node that is meant; the latest where absent.
	Round *int32 `json:"round,omitempty"`
}

// UserTaskRound: Which round of a node's user task is meant.
type UserTaskRound struct {
	// The round; the latest where absent.
	Round *int32 `json:"round,omitempty"`
}

// UserTaskStatus is what the server calls UserTaskStatus.
type UserTaskStatus string

// What a UserTaskStatus may be. A newer server may say something else.
const (
	UserTaskStatusOpen      UserTaskStatus = "open"
	UserTaskStatusCompleted UserTaskStatus = "completed"
	UserTaskStatusTimedOut  UserTaskStatus = "timed_out"
	UserTaskStatusCancelled UserTaskStatus = "cancelled"
)

// ValidatedWorkflow: A definition that passed every check and was not registered.
type ValidatedWorkflow struct {
	// Hex SHA-256 of the definition as JSON with sorted keys.
	ContentHash string `json:"contentHash"`
	Name        string `json:"name"`
	// Always true: faults are a problem with status 422.
	Valid   bool  `json:"valid"`
	Version int32 `json:"version"`
	// What is better done otherwise.
	Warnings []Fault `json:"warnings,omitempty"`
}

// Webhook: A webhook endpoint.
type Webhook struct {
	CreatedAt time.Time     `json:"createdAt"`
	Dedupe    WebhookDedupe `json:"dedupe"`
	// Where it is for the sender: its `publicUrl`, or made of the server's; absent where neither is known.
	FullURL *string `json:"fullUrl,omitempty"`
	ID      string  `json:"id"`
	// The largest body in bytes, as it was set.
	MaxBody *int64 `json:"maxBody,omitempty"`
	// The largest body in bytes that is in force.
	MaxBodyEffective int64           `json:"maxBodyEffective"`
	Name             string          `json:"name"`
	Paused           bool            `json:"paused"`
	Provider         WebhookProvider `json:"provider"`
	// The address that the sender calls, as it was set.
	PublicURL   *string           `json:"publicUrl,omitempty"`
	RateLimit   *WebhookRateLimit `json:"rateLimit,omitempty"`
	RespondWith int32             `json:"respondWith"`
	Scheme      WebhookScheme     `json:"scheme"`
	// Its secrets without their texts. Not in lists.
	Secrets   []WebhookSecret  `json:"secrets,omitempty"`
	Tenant    string           `json:"tenant"`
	Triggers  []WebhookTrigger `json:"triggers"`
	UpdatedAt time.Time        `json:"updatedAt"`
	// Where it is, below the server's address.
	URL string `json:"url"`
	// Whether deliveries are verified at all: not by the provider `none`.
	Verified bool `json:"verified"`
	// Grows with each change.
	Version int64 `json:"version"`
	// What is legal but may not be meant.
	Warnings []string `json:"warnings"`
}

// WebhookDedupe: How repetitions are known.
type WebhookDedupe struct {
	// By what; `auto` where absent: the provider's id if it signs one, else its id with the body, else the body.
	On json.RawMessage `json:"on,omitempty"`
	// For how long, 1m to 30d; as long as the provider retries, at least a day, where absent.
	Window *string `json:"window,omitempty"`
}

// WebhookProvider is what the server calls WebhookProvider.
type WebhookProvider string

// What a WebhookProvider may be. A newer server may say something else.
const (
	WebhookProviderGithub    WebhookProvider = "github"
	WebhookProviderStripe    WebhookProvider = "stripe"
	WebhookProviderSlack     WebhookProvider = "slack"
	WebhookProviderShopify   WebhookProvider = "shopify"
	WebhookProviderStandard  WebhookProvider = "standard"
	WebhookProviderSvix      WebhookProvider = "svix"
	WebhookProviderTwilio    WebhookProvider = "twilio"
	WebhookProviderLinear    WebhookProvider = "linear"
	WebhookProviderGitlab    WebhookProvider = "gitlab"
	WebhookProviderSquare    WebhookProvider = "square"
	WebhookProviderZoom      WebhookProvider = "zoom"
	WebhookProviderDiscord   WebhookProvider = "discord"
	WebhookProviderPagerduty WebhookProvider = "pagerduty"
	WebhookProviderPaddle    WebhookProvider = "paddle"
	WebhookProviderMeta      WebhookProvider = "meta"
	WebhookProviderHubspot   WebhookProvider = "hubspot"
	WebhookProviderSendgrid  WebhookProvider = "sendgrid"
	WebhookProviderRazorpay  WebhookProvider = "razorpay"
	WebhookProviderHmac      WebhookProvider = "hmac"
	WebhookProviderNone      WebhookProvider = "none"
)

// WebhookRateLimit: So many requests in each span of time.
type WebhookRateLimit struct {
	// How many at once after a pause; as many as `requests` where absent.
	Burst *int32 `json:"burst,omitempty"`
	// The span.
	Per string `json:"per"`
	// How many.
	Requests int32 `json:"requests"`
}

// WebhookRequest: An endpoint to save.
type WebhookRequest struct {
	// How repetitions are known.
	Dedupe *WebhookDedupe `json:"dedupe,omitempty"`
	// The largest body, up to 25MiB: a number of bytes, or text such as `1MiB`. The server's setting where absent.
	MaxBody *string `json:"maxBody,omitempty"`
	// Unique within the tenant.
	Name string `json:"name"`
	// Whether it is paused; where absent, a new endpoint is not, and another stays as it is.
	Paused *bool `json:"paused,omitempty"`
	// Who sends. `none` verifies nothing.
	Provider WebhookProvider `json:"provider"`
	// The address that the sender calls, letter by letter. Needed where the provider signs it.
	PublicURL *string `json:"publicUrl,omitempty"`
	// How many requests it takes; the rest is held up to a bound of the server, and answered 429 beyond it.
	RateLimit *WebhookRateLimit `json:"rateLimit,omitempty"`
	// The status of the answer to an accepted delivery: 200, 202 (where absent) or 204.
	RespondWith *int32 `json:"respondWith,omitempty"`
	// How requests are signed, where that is not the provider's own.
	Scheme *WebhookScheme `json:"scheme,omitempty"`
	// What signatures are checked with: secrets, or public keys of the provider. Never shown again. Where absent, a new
	// endpoint gets one made if its provider takes any, and another keeps those that it has.
	Secrets []string `json:"secrets,omitempty"`
	// The key's own tenant, or `default`, where absent. An endpoint stays with its tenant.
	Tenant *string `json:"tenant,omitempty"`
	// What deliveries start.
	Triggers []WebhookTrigger `json:"triggers,omitempty"`
	// The token that Meta shows when it subscribes. Never shown again.
	VerifyToken *string `json:"verifyToken,omitempty"`
	// Replaces the endpoint only if it still has this version. Not for a new one.
	Version *int64 `json:"version,omitempty"`
}

// WebhookScheme: How requests are signed. The provider `hmac` takes all of it and needs `header`; the others take `tolerance` and `eventType`.
type WebhookScheme struct {
	// `sha256` where absent.
	Algorithm *string `json:"algorithm,omitempty"`
	// `hex` where absent.
	Encoding *string `json:"encoding,omitempty"`
	// Where the event type stands: `header:<name>` or `field:<JSON pointer>`.
	EventType *string `json:"eventType,omitempty"`
	// The header with the signature.
	Header *string `json:"header,omitempty"`
	// The header with the signed id.
	IDHeader *string `json:"idHeader,omitempty"`
	// What separates several signatures.
	ListSeparator *string `json:"listSeparator,omitempty"`
	// What stands before each signature, such as `sha256=`.
	Prefix *string `json:"prefix,omitempty"`
	// How the secret is written; `text` where absent.
	SecretEncoding *string `json:"secretEncoding,omitempty"`
	// A template over {id}, {timestamp}, {url}, {method} and {body}; `{body}` where absent.
	SignedContent *string `json:"signedContent,omitempty"`
	// The header with the signed time.
	TimestampHeader *string `json:"timestampHeader,omitempty"`
	// What stands before the signed time within the signature header, such as `t=`.
	TimestampItem *string `json:"timestampItem,omitempty"`
	// `s` where absent.
	TimestampUnit *string `json:"timestampUnit,omitempty"`
	// How far the signed time may be from ours, both ways, 1s to 24h; 5m where absent.
	Tolerance *string `json:"tolerance,omitempty"`
}

// WebhookSecret: A secret of an endpoint, without its text.
type WebhookSecret struct {
	CreatedAt time.Time `json:"createdAt"`
	// Until when it holds; absent for the current one.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	ID        string     `json:"id"`
	// Whether the server has the key that it is sealed with.
	Openable bool                 `json:"openable"`
	Purpose  WebhookSecretPurpose `json:"purpose"`
}

// WebhookSecretPurpose is what the server calls WebhookSecretPurpose.
type WebhookSecretPurpose string

// What a WebhookSecretPurpose may be. A newer server may say something else.
const (
	WebhookSecretPurposeSignature   WebhookSecretPurpose = "signature"
	WebhookSecretPurposeVerifyToken WebhookSecretPurpose = "verifyToken"
)

// WebhookTrigger: What a delivery may start.
type WebhookTrigger struct {
	// Event types, such as `push` or `issue.*`, any of which is enough; none is all.
	Events []string `json:"events,omitempty"`
	// A CEL condition over `body`, `headers`, `event`, `query` and `delivery`.
	Filter *string `json:"filter,omitempty"`
	// Its name within the endpoint; made of the workflow's name where absent.
	ID *string `json:"id,omitempty"`
	// The input, with `${…}` in its strings; the body where absent.
	Input json.RawMessage `json:"input,omitempty"`
	// `high` where absent.
	Priority *Priority `json:"priority,omitempty"`
	// Which version; the latest where absent.
	Version *int32 `json:"version,omitempty"`
	// What it starts.
	Workflow string `json:"workflow"`
}

// Why: Why a job is not running.
type Why struct {
	// A sentence.
	Detail string `json:"detail"`
	// What would let it run.
	FreesWhen *string `json:"freesWhen,omitempty"`
	// Jobs that hold the slots, at most ten.
	Holders []string `json:"holders,omitempty"`
	// The limit that is full.
	Limit *int32 `json:"limit,omitempty"`
	// How many jobs of the same lane are ahead.
	Rank *int64 `json:"rank,omitempty"`
	// `not_due`, `queue_paused`, `limit_global`, `limit_tenant`, `limit_workflow`, `limit_key`, `no_worker`,
	// `behind`, `waiting`, `running` or `finished`.
	Reason string `json:"reason"`
	// How many it counts now.
	Running *int32 `json:"running,omitempty"`
}

// Worker: A worker that showed itself in the last minutes.
type Worker struct {
	FirstSeenAt time.Time `json:"firstSeenAt"`
	ID          string    `json:"id"`
	JobTypes    []string  `json:"jobTypes"`
	// `external`, or `pool` for Trunkline's own.
	Kind       string    `json:"kind"`
	LastSeenAt time.Time `json:"lastSeenAt"`
	// Jobs that it holds.
	Leased int32 `json:"leased"`
	// The tenant that its key is bound to.
	Tenant *string `json:"tenant,omitempty"`
}

// Workflow: One version of a workflow.
type Workflow struct {
	// Hex SHA-256 of the definition as JSON with sorted keys.
	ContentHash string    `json:"contentHash"`
	CreatedAt   time.Time `json:"createdAt"`
	// The definition. Not in lists.
	Definition json.RawMessage `json:"definition,omitempty"`
	// `limits.maxConcurrent` of the definition.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	Name          string `json:"name"`
	// What becomes of new runs while it is paused.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
	// Whether executions of it stay queued.
	Paused bool `json:"paused"`
	// The tenant that owns it; absent for one that all tenants share.
	Tenant  *string `json:"tenant,omitempty"`
	Version int32   `json:"version"`
	// What is better done otherwise. Only in the answer to a registration.
	Warnings []Fault `json:"warnings,omitempty"`
}

// WorkflowMode: Whether a workflow is paused.
type WorkflowMode struct {
	Name string `json:"name"`
	// What becomes of new runs while it is paused.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
	// Whether executions of it stay queued.
	Paused bool `json:"paused"`
}
