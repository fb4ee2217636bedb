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

// Settlements are reports that end attempts, and a poll for the next jobs. Poll is left out where it is nil.
type Settlements[T any] struct {
	Jobs []T   `json:"jobs"`
	Poll *Poll `json:"poll,omitempty"`
}

// BatchResults is what became of each item of a batch, in order.
type BatchResults[T any] struct {
	Results []T `json:"results"`
}

// AcceptOutcome is the schema AcceptOutcome of the API.
type AcceptOutcome string

// What a AcceptOutcome may be. A newer server may say something else.
const (
	AcceptOutcomeOk          AcceptOutcome = "ok"
	AcceptOutcomeTaken       AcceptOutcome = "taken"
	AcceptOutcomeAlreadyDone AcceptOutcome = "already_done"
	AcceptOutcomeCancelled   AcceptOutcome = "cancelled"
	AcceptOutcomeLeaseLost   AcceptOutcome = "lease_lost"
)

// Acceptance: A job to accept.
type Acceptance struct {
	ID string `json:"id"`
	// Lease token of the message.
	LeaseToken string `json:"leaseToken"`
}

// Acceptances: Jobs to accept.
type Acceptances struct {
	// The received jobs.
	Jobs []Acceptance `json:"jobs"`
	// Worker ID, random per process.
	WorkerID string `json:"workerId"`
}

// AcceptedJob: The outcome of one job.
type AcceptedJob struct {
	ID string `json:"id"`
	// Expiry time of the lease unless a heartbeat renews it. Present if the outcome is `ok`.
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt,omitempty"`
	// Lease (fencing) token, required in every report. Keep it secret. Present if the outcome is `ok`.
	LeaseToken *string       `json:"leaseToken,omitempty"`
	Outcome    AcceptOutcome `json:"outcome"`
	// Last progress reported by an earlier attempt.
	Progress json.RawMessage `json:"progress,omitempty"`
}

// AcceptedJobs: The outcomes, in order.
type AcceptedJobs struct {
	// One outcome per job.
	Results []AcceptedJob `json:"results"`
}

// Alert: An alert. At most one is open for each rule and labels, across all nodes.
type Alert struct {
	FiredAt *time.Time `json:"firedAt,omitempty"`
	ID      string     `json:"id"`
	// Labels that identify the affected objects.
	Labels     map[string]string `json:"labels"`
	ResolvedAt *time.Time        `json:"resolvedAt,omitempty"`
	Rule       string            `json:"rule"`
	Severity   AlertSeverity     `json:"severity"`
	// ID of the silence that suppresses its notifications.
	SilencedBy *string     `json:"silencedBy,omitempty"`
	StartedAt  time.Time   `json:"startedAt"`
	Status     AlertStatus `json:"status"`
	// One-sentence description of the problem.
	Summary string `json:"summary"`
	// Threshold; durations in milliseconds.
	Threshold float64 `json:"threshold"`
	// Last value; durations in milliseconds.
	Value float64 `json:"value"`
}

// AlertNotification: A notification about an alert.
type AlertNotification struct {
	// The alert; absent for a test.
	AlertID   *string   `json:"alertId,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	// Why the last attempt failed.
	Error *string `json:"error,omitempty"`
	ID    string  `json:"id"`
	// Time of the next attempt.
	NextTryAt *time.Time `json:"nextTryAt,omitempty"`
	Route     string     `json:"route"`
	SentAt    *time.Time `json:"sentAt,omitempty"`
	// `pending`, `sent` or `failed`.
	Status string `json:"status"`
	// Number of attempts so far.
	Tries int32 `json:"tries"`
	// `alert.firing`, `alert.resolved` or `alert.test`.
	Type string `json:"type"`
}

// AlertRoute: A route.
type AlertRoute struct {
	Name        string  `json:"name"`
	RepeatEvery *string `json:"repeatEvery,omitempty"`
	// The generated secret, shown only in this response.
	Secret       *string `json:"secret,omitempty"`
	SendResolved bool    `json:"sendResolved"`
	// Whether notifications are signed.
	Signed bool `json:"signed"`
	// Email addresses of the recipients.
	To []string `json:"to,omitempty"`
	// `log`, `webhook`, `slack` or `mail`.
	Type string `json:"type"`
	// URL of the webhook; only its scheme and host for callers that may not change routes.
	URL *string `json:"url,omitempty"`
}

// AlertRouteRequest: A route for notifications.
type AlertRouteRequest struct {
	// Interval at which a firing alert is sent again. Default: never.
	RepeatEvery *string `json:"repeatEvery,omitempty"`
	// Signing secret as defined by Standard Webhooks, `whsec_…`. If absent, one is generated and shown once.
	Secret *string `json:"secret,omitempty"`
	// Whether a notification is also sent when an alert is resolved. Default: true.
	SendResolved *bool `json:"sendResolved,omitempty"`
	// Email addresses of the recipients.
	To []string `json:"to,omitempty"`
	// `log`, `webhook`, `slack` or `mail`.
	Type string `json:"type"`
	// URL of the webhook.
	URL *string `json:"url,omitempty"`
}

// AlertRule: A rule.
type AlertRule struct {
	// Threshold; the alert fires for values above it.
	Above json.RawMessage `json:"above,omitempty"`
	// Threshold; the alert fires for values below it.
	Below    json.RawMessage `json:"below,omitempty"`
	ClearAt  json.RawMessage `json:"clearAt,omitempty"`
	Enabled  bool            `json:"enabled"`
	For      string          `json:"for"`
	Metric   string          `json:"metric"`
	Name     string          `json:"name"`
	Routes   []string        `json:"routes"`
	Scope    AlertScope      `json:"scope"`
	Severity AlertSeverity   `json:"severity"`
	Window   *string         `json:"window,omitempty"`
}

// AlertRuleRequest: An alert rule. An alert fires when a metric stays above or below a threshold for a given time.
type AlertRuleRequest struct {
	// Threshold that the value must exceed: a duration such as `"5m"`, a number, or a fraction from 0 to 1. Required
	// without `below`.
	Above json.RawMessage `json:"above,omitempty"`
	// Threshold that the value must fall below. Required without `above`.
	Below json.RawMessage `json:"below,omitempty"`
	// Value at which the alert is resolved. Default: 80 % of `above`, or 125 % of `below`.
	ClearAt json.RawMessage `json:"clearAt,omitempty"`
	// Whether the rule is evaluated. Default: true.
	Enabled *bool `json:"enabled,omitempty"`
	// How long the value must stay beyond the threshold before the alert fires. Default: 0s.
	For *string `json:"for,omitempty"`
	// Metric, such as `oldest_age`, `depth` or `error_rate`.
	Metric string `json:"metric"`
	// Names of routes. Default: `log`.
	Routes []string `json:"routes,omitempty"`
	// Objects that the rule is limited to.
	Scope *AlertScope `json:"scope,omitempty"`
	// `warning` (default) or `critical`.
	Severity *AlertSeverity `json:"severity,omitempty"`
	// Time window over which fractions, waits and growth are measured, 1m to 1h. Default: 5m.
	Window *string `json:"window,omitempty"`
}

// AlertScope: Objects that a rule is limited to.
type AlertScope struct {
	JobType    *string `json:"jobType,omitempty"`
	Queue      *string `json:"queue,omitempty"`
	ScheduleID *string `json:"scheduleId,omitempty"`
	Tenant     *string `json:"tenant,omitempty"`
	WebhookID  *string `json:"webhookId,omitempty"`
	Workflow   *string `json:"workflow,omitempty"`
}

// AlertSeverity is the schema AlertSeverity of the API.
type AlertSeverity string

// What a AlertSeverity may be. A newer server may say something else.
const (
	AlertSeverityWarning  AlertSeverity = "warning"
	AlertSeverityCritical AlertSeverity = "critical"
)

// AlertStatus is the schema AlertStatus of the API.
type AlertStatus string

// What a AlertStatus may be. A newer server may say something else.
const (
	AlertStatusPending  AlertStatus = "pending"
	AlertStatusFiring   AlertStatus = "firing"
	AlertStatusResolved AlertStatus = "resolved"
)

// APIKey: An API key without its secret.
type APIKey struct {
	CreatedAt time.Time `json:"createdAt"`
	// Expiry time.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// Groups that the key belongs to in user tasks.
	Groups []string `json:"groups,omitempty"`
	ID     string   `json:"id"`
	// When it was last used, accurate to about a minute.
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
	Name       string     `json:"name"`
	// Allowed client networks and addresses (default: any).
	Networks []string `json:"networks,omitempty"`
	// Whether responses include payloads.
	Payloads bool `json:"payloads"`
	// User that the key represents in user tasks.
	Person *string `json:"person,omitempty"`
	// First characters of the secret, to identify the key.
	Prefix string `json:"prefix"`
	// Expiry time of the previous secret after a rotation.
	PreviousUntil *time.Time `json:"previousUntil,omitempty"`
	RevokedAt     *time.Time `json:"revokedAt,omitempty"`
	Role          Role       `json:"role"`
	// When its secret was last changed.
	RotatedAt *time.Time `json:"rotatedAt,omitempty"`
	// Scopes that restrict the role (default: everything the role allows).
	Scopes []KeyScope `json:"scopes,omitempty"`
	Tenant *string    `json:"tenant,omitempty"`
}

// APIKeyRequest: An API key to create.
type APIKeyRequest struct {
	// Expiry time.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// Groups that the key belongs to in user tasks.
	Groups []string `json:"groups,omitempty"`
	// Display name.
	Name string `json:"name"`
	// Allowed client networks and addresses, such as `10.0.0.0/8` (default: any).
	Networks []string `json:"networks,omitempty"`
	// Whether responses include payloads (data, results, inputs, outputs, bodies). Default: false for read-only
	// keys, true for others.
	Payloads *bool `json:"payloads,omitempty"`
	// User that the key represents in user tasks.
	Person *string `json:"person,omitempty"`
	// Role.
	Role Role `json:"role"`
	// Scopes that restrict the role (default: everything the role allows).
	Scopes []KeyScope `json:"scopes,omitempty"`
	// Tenant that the key is bound to (default: none).
	Tenant *string `json:"tenant,omitempty"`
}

// ArchiveRequest: Options of archiving a dead letter.
type ArchiveRequest struct {
	// Reason, stored with the dead letter.
	Reason string `json:"reason"`
}

// Attempt: One attempt of a job.
type Attempt struct {
	// Attempt number, from 1.
	AttemptNumber int32         `json:"attemptNumber"`
	DurationMs    *int64        `json:"durationMs,omitempty"`
	Error         *JobError     `json:"error,omitempty"`
	FinishedAt    *time.Time    `json:"finishedAt,omitempty"`
	StartedAt     time.Time     `json:"startedAt"`
	Status        AttemptStatus `json:"status"`
	WorkerID      string        `json:"workerId"`
}

// AttemptStatus is the schema AttemptStatus of the API.
type AttemptStatus string

// What a AttemptStatus may be. A newer server may say something else.
const (
	AttemptStatusProcessing AttemptStatus = "PROCESSING"
	AttemptStatusCompleted  AttemptStatus = "COMPLETED"
	AttemptStatusFailed     AttemptStatus = "FAILED"
	AttemptStatusWorkerLost AttemptStatus = "WORKER_LOST"
	AttemptStatusTimedOut   AttemptStatus = "TIMED_OUT"
	AttemptStatusCancelled  AttemptStatus = "CANCELLED"
)

// Attribute: A declared attribute.
type Attribute struct {
	// Path to the value in a payload.
	Path *string `json:"path,omitempty"`
	// When it was declared. Objects created earlier do not have it.
	Since time.Time `json:"since"`
	// Where it is declared: `jobType`, `workflow`, `definition` or `tenant`.
	Source string        `json:"source"`
	Type   AttributeType `json:"type"`
}

// AttributeDeclaration: An attribute to declare.
type AttributeDeclaration struct {
	// Path to the value in a payload: `data` or `result` of jobs, `input` or `output` of executions.
	Path *string `json:"path,omitempty"`
	// `text` (at most 256 bytes), `integer`, `number`, `boolean` or `instant`.
	Type AttributeType `json:"type"`
}

// AttributeType is the schema AttributeType of the API.
type AttributeType string

// What a AttributeType may be. A newer server may say something else.
const (
	AttributeTypeText    AttributeType = "text"
	AttributeTypeInteger AttributeType = "integer"
	AttributeTypeNumber  AttributeType = "number"
	AttributeTypeBoolean AttributeType = "boolean"
	AttributeTypeInstant AttributeType = "instant"
)

// AuditFault: The first broken link of the hash chain.
type AuditFault struct {
	// ID of the entry, if it exists.
	ID *string `json:"id,omitempty"`
	// `hash`: changed; `missing`: removed; `order`: does not follow the previous entry; `head`: the end was changed.
	Problem string `json:"problem"`
	// Number of the entry.
	Seq int64 `json:"seq"`
}

// AuditLine: An audit log entry.
type AuditLine struct {
	// Action.
	Action string `json:"action"`
	// Actor: API key ID, `oidc:` and the subject of a token, `loopback` or `system`.
	Actor string `json:"actor"`
	// Client address.
	Address *string `json:"address,omitempty"`
	// Changed values after the change.
	After json.RawMessage `json:"after,omitempty"`
	At    time.Time       `json:"at"`
	// Bulk operation.
	Batch *string `json:"batch,omitempty"`
	// Changed values before the change.
	Before json.RawMessage `json:"before,omitempty"`
	Detail json.RawMessage `json:"detail,omitempty"`
	// `rest`, `cli`, `console`, `grpc` or `system`.
	Door *string `json:"door,omitempty"`
	// SHA-256, in hexadecimal, of the entry without `hash` as canonical JSON (RFC 8785).
	Hash *string `json:"hash,omitempty"`
	ID   string  `json:"id"`
	// `done` or `refused`.
	Outcome *string `json:"outcome,omitempty"`
	// Hash of the previous entry.
	PrevHash *string `json:"prevHash,omitempty"`
	// Reason given by the caller, or reason for the refusal.
	Reason *string `json:"reason,omitempty"`
	// Request ID.
	RequestID *string `json:"requestId,omitempty"`
	// Number in the hash chain, from 1; absent until the entry is sealed.
	Seq *int64 `json:"seq,omitempty"`
	// Target of the action.
	Subject string  `json:"subject"`
	Tenant  *string `json:"tenant,omitempty"`
	// User agent of the client.
	UserAgent *string `json:"userAgent,omitempty"`
}

// AuditLink: A position in the hash chain.
type AuditLink struct {
	// Its hash.
	Hash string `json:"hash"`
	// Number of the entry; 0 before the first.
	Seq int64 `json:"seq"`
}

// AuditVerification: The result of a verification.
type AuditVerification struct {
	// Last entry that retention has removed.
	Anchor   AuditLink   `json:"anchor"`
	FirstBad *AuditFault `json:"firstBad,omitempty"`
	// First number of the verified range.
	From int64 `json:"from"`
	// Last entry of the chain.
	Head AuditLink `json:"head"`
	// Last verified entry; the next range starts after it.
	Last AuditLink `json:"last"`
	// Whether the verified entries are unchanged.
	Ok bool `json:"ok"`
	// Number of verified entries.
	Rows int64 `json:"rows"`
}

// Backfill: The result of a backfill.
type Backfill struct {
	// Number of fires that are already in the history.
	Skipped int32 `json:"skipped"`
	// Number of fires in the range.
	Slots int32 `json:"slots"`
	// Number of started executions.
	Started int32 `json:"started"`
}

// BackfillRequest: A past time range.
type BackfillRequest struct {
	// Start of the range, inclusive.
	From time.Time `json:"from"`
	// End of the range, inclusive; not in the future. The range may contain at most 1,000 fires.
	To time.Time `json:"to"`
}

// Backoff: Backoff between retries: `initial`, `initial × factor`, … up to `max`.
type Backoff struct {
	// Multiplier of consecutive delays.
	Factor *float64 `json:"factor,omitempty"`
	// Delay before the first retry.
	Initial *string `json:"initial,omitempty"`
	// Whether delays are randomized.
	Jitter *bool `json:"jitter,omitempty"`
	// Maximum delay.
	Max *string `json:"max,omitempty"`
}

// Batch: A bulk operation.
type Batch struct {
	// Who started it.
	Actor     string    `json:"actor"`
	CreatedAt time.Time `json:"createdAt"`
	// Number of changed objects.
	Done int64 `json:"done"`
	// Number of changed objects whose resulting job, execution or delivery failed.
	EndedBadly int64 `json:"endedBadly"`
	// Number of objects that could not be changed.
	Failed     int64      `json:"failed"`
	FinishedAt *time.Time `json:"finishedAt,omitempty"`
	ID         string     `json:"id"`
	// Kind of operation, such as `dead_letters.requeue`.
	Kind string `json:"kind"`
	// Number of changed objects whose resulting job, execution or delivery has not ended.
	Pending int64   `json:"pending"`
	Reason  *string `json:"reason,omitempty"`
	// The original request.
	Request json.RawMessage `json:"request"`
	// Number of objects that no longer existed or no longer matched.
	Skipped int64       `json:"skipped"`
	Status  BatchStatus `json:"status"`
	// Reason for the status: `canary`, `operator`, `failure_rate` or `error`.
	StatusReason *string `json:"statusReason,omitempty"`
	Tenant       *string `json:"tenant,omitempty"`
	// Number of objects. It grows while the operation is `preparing`.
	Total     int64     `json:"total"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// BatchItem: An object of a bulk operation.
type BatchItem struct {
	At time.Time `json:"at"`
	// Why it was not changed.
	Error   *string          `json:"error,omitempty"`
	ID      string           `json:"id"`
	Outcome BatchItemOutcome `json:"outcome"`
	// Job, execution or delivery that the change made or started.
	ResultID *string `json:"resultId,omitempty"`
}

// BatchItemOutcome is the schema BatchItemOutcome of the API.
type BatchItemOutcome string

// What a BatchItemOutcome may be. A newer server may say something else.
const (
	BatchItemOutcomeDone    BatchItemOutcome = "done"
	BatchItemOutcomeFailed  BatchItemOutcome = "failed"
	BatchItemOutcomeSkipped BatchItemOutcome = "skipped"
)

// BatchOfEvents: Starts one execution for several events.
type BatchOfEvents struct {
	// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
	Key *string `json:"key,omitempty"`
	// Number of events after which the execution starts.
	MaxSize int32 `json:"maxSize"`
	// Maximum wait after the first event, up to 30d.
	Timeout string `json:"timeout"`
}

// BatchResultCreatedExecution: The result of one item.
type BatchResultCreatedExecution struct {
	// Position of the signal, for `GET /v1/commands/{position}`.
	CommandPosition *int64 `json:"commandPosition,omitempty"`
	// True if it already exists; absent for a new one.
	Existing *bool   `json:"existing,omitempty"`
	ID       *string `json:"id,omitempty"`
	// Its job on `workflow-execution`.
	JobID *string `json:"jobId,omitempty"`
	// Queue position of the job: lower positions of a lane are processed first.
	Position *int64 `json:"position,omitempty"`
	// The execution that was cancelled for this one.
	Replaces *string          `json:"replaces,omitempty"`
	Status   *ExecutionStatus `json:"status,omitempty"`
	// The error.
	Error *Problem `json:"error,omitempty"`
}

// BatchResultEnqueued: The result of one item.
type BatchResultEnqueued struct {
	// True if an unfinished job with the same unique key already exists; absent for a new job.
	Existing *bool `json:"existing,omitempty"`
	// Job ID.
	ID *string `json:"id,omitempty"`
	// Queue position: lower positions of a lane are processed first.
	Position *int64 `json:"position,omitempty"`
	// Status.
	Status *JobStatus `json:"status,omitempty"`
	// The error.
	Error *Problem `json:"error,omitempty"`
}

// BatchStatus is the schema BatchStatus of the API.
type BatchStatus string

// What a BatchStatus may be. A newer server may say something else.
const (
	BatchStatusPreparing BatchStatus = "preparing"
	BatchStatusRunning   BatchStatus = "running"
	BatchStatusPaused    BatchStatus = "paused"
	BatchStatusCompleted BatchStatus = "completed"
	BatchStatusAborted   BatchStatus = "aborted"
	BatchStatusFailed    BatchStatus = "failed"
)

// BuildPin: A job type whose jobs only workers of certain builds receive.
type BuildPin struct {
	// The builds whose workers receive its jobs.
	Builds  []string `json:"builds"`
	JobType string   `json:"jobType"`
	// When the pin was set; for a worker's pin, when that worker started.
	Since time.Time `json:"since"`
	// `operator`, or `worker` if a worker set the pin when it started.
	Source string `json:"source"`
	// Tenant whose jobs the pin applies to; absent for a pin that applies to all tenants without their own.
	Tenant *string `json:"tenant,omitempty"`
}

// BuildPinRequest: The builds to pin a job type to.
type BuildPinRequest struct {
	// Builds, as workers name them in `build`: 1 to 20.
	Builds []string `json:"builds"`
}

// BuildPins: All pinned job types.
type BuildPins struct {
	// The pins, by job type and tenant.
	Items []BuildPin `json:"items"`
}

// BulkCanary: The objects that a bulk operation changes first, before it pauses.
type BulkCanary struct {
	// Number of objects.
	Count int64 `json:"count"`
	// `auto` (default): the operation continues when all of them have an outcome and the failure rate is acceptable.
	// `manual`: it waits until it is resumed.
	Proceed *string `json:"proceed,omitempty"`
}

// BulkCancelRequest: Executions to cancel.
type BulkCancelRequest struct {
	// Confirms an empty filter, which matches everything.
	All *bool `json:"all,omitempty"`
	// Canary: objects that are changed first.
	Canary *BulkCanary `json:"canary,omitempty"`
	// Whether completed nodes are compensated first (default false).
	Compensate *bool `json:"compensate,omitempty"`
	// Dry run: only counts the matches and shows up to ten of them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Filter. An empty filter requires `all`.
	Filter *BulkFilter `json:"filter,omitempty"`
	// IDs of the objects, at most 10,000, instead of a filter.
	IDs []string `json:"ids,omitempty"`
	// Maximum number of objects.
	Limit *int64 `json:"limit,omitempty"`
	// Maximum number of objects changed per second.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Reason, at most 500 characters. Kept with the operation and in the audit log.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this fraction of the objects failed, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// BulkCount: The result of a dry run.
type BulkCount struct {
	// Number of matches.
	Count int64 `json:"count"`
	// Whether `count` is exact. Otherwise it is a lower bound.
	Exact bool `json:"exact"`
	// The first ten matches, in the format of their list.
	Samples []map[string]json.RawMessage `json:"samples"`
}

// BulkFilter: Filter of a bulk operation: the query parameters of the list as fields, each a value or a list of values, and `q`.
type BulkFilter struct {
}

// BulkOperationRequest: Objects to change.
type BulkOperationRequest struct {
	// Confirms an empty filter, which matches everything.
	All *bool `json:"all,omitempty"`
	// Canary: objects that are changed first.
	Canary *BulkCanary `json:"canary,omitempty"`
	// Dry run: only counts the matches and shows up to ten of them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Filter. An empty filter requires `all`.
	Filter *BulkFilter `json:"filter,omitempty"`
	// IDs of the objects, at most 10,000, instead of a filter.
	IDs []string `json:"ids,omitempty"`
	// Maximum number of objects.
	Limit *int64 `json:"limit,omitempty"`
	// Maximum number of objects changed per second.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Reason, at most 500 characters. Kept with the operation and in the audit log.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this fraction of the objects failed, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// BulkReplayRequest: Deliveries to replay.
type BulkReplayRequest struct {
	// Confirms an empty filter, which matches everything.
	All *bool `json:"all,omitempty"`
	// Whether triggers that have already started a workflow start it again (default false).
	AllTriggers *bool `json:"allTriggers,omitempty"`
	// Canary: objects that are changed first.
	Canary *BulkCanary `json:"canary,omitempty"`
	// Dry run: only counts the matches and shows up to ten of them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Filter. An empty filter requires `all`.
	Filter *BulkFilter `json:"filter,omitempty"`
	// IDs of the objects, at most 10,000, instead of a filter.
	IDs []string `json:"ids,omitempty"`
	// Maximum number of objects.
	Limit *int64 `json:"limit,omitempty"`
	// Maximum number of objects changed per second.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Reason, at most 500 characters. Kept with the operation and in the audit log.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this fraction of the objects failed, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// BulkReprioritizeRequest: Jobs to move to another priority.
type BulkReprioritizeRequest struct {
	// Confirms an empty filter, which matches everything.
	All *bool `json:"all,omitempty"`
	// Canary: objects that are changed first.
	Canary *BulkCanary `json:"canary,omitempty"`
	// Dry run: only counts the matches and shows up to ten of them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Filter. An empty filter requires `all`.
	Filter *BulkFilter `json:"filter,omitempty"`
	// IDs of the objects, at most 10,000, instead of a filter.
	IDs []string `json:"ids,omitempty"`
	// Maximum number of objects.
	Limit *int64 `json:"limit,omitempty"`
	// New priority. Required.
	Priority Priority `json:"priority"`
	// Maximum number of objects changed per second.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Reason, at most 500 characters. Kept with the operation and in the audit log.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this fraction of the objects failed, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// BulkRequeueRequest: Dead letters to requeue.
type BulkRequeueRequest struct {
	// Confirms an empty filter, which matches everything.
	All *bool `json:"all,omitempty"`
	// Canary: objects that are changed first.
	Canary *BulkCanary `json:"canary,omitempty"`
	// New payload for each job.
	Data json.RawMessage `json:"data,omitempty"`
	// Dry run: only counts the matches and shows up to ten of them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Filter. An empty filter requires `all`.
	Filter *BulkFilter `json:"filter,omitempty"`
	// IDs of the objects, at most 10,000, instead of a filter.
	IDs []string `json:"ids,omitempty"`
	// Maximum number of objects.
	Limit *int64 `json:"limit,omitempty"`
	// New maximum number of retries for each job.
	MaxRetries *int32    `json:"maxRetries,omitempty"`
	Priority   *Priority `json:"priority,omitempty"`
	// Maximum number of objects changed per second.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Reason, at most 500 characters. Kept with the operation and in the audit log.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this fraction of the objects failed, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// BulkRerunRequest: Executions to rerun.
type BulkRerunRequest struct {
	// Confirms an empty filter, which matches everything.
	All *bool `json:"all,omitempty"`
	// Canary: objects that are changed first.
	Canary *BulkCanary `json:"canary,omitempty"`
	// Dry run: only counts the matches and shows up to ten of them.
	DryRun *bool `json:"dryRun,omitempty"`
	// Filter. An empty filter requires `all`.
	Filter *BulkFilter `json:"filter,omitempty"`
	// Node from which the new executions run. Required.
	FromNode string `json:"fromNode"`
	// IDs of the objects, at most 10,000, instead of a filter.
	IDs []string `json:"ids,omitempty"`
	// Input of the new executions (default: the input of each original execution).
	Input json.RawMessage `json:"input,omitempty"`
	// Maximum number of objects.
	Limit *int64 `json:"limit,omitempty"`
	// Maximum number of objects changed per second.
	RatePerSecond *int32 `json:"ratePerSecond,omitempty"`
	// Reason, at most 500 characters. Kept with the operation and in the audit log.
	Reason *string `json:"reason,omitempty"`
	// Stops when more than this fraction of the objects failed, from 0 to 1.
	StopOnFailureRate *float64 `json:"stopOnFailureRate,omitempty"`
}

// CancelRequest: Options of a cancellation.
type CancelRequest struct {
	// Whether completed nodes are compensated first (default false).
	Compensate *bool `json:"compensate,omitempty"`
	// Reason, recorded in the timeline.
	Reason *string `json:"reason,omitempty"`
}

// ChangeEvent: A change.
type ChangeEvent struct {
	// Whether the execution ended.
	Ended *bool `json:"ended,omitempty"`
	// The execution that changed.
	ExecutionID *string `json:"executionId,omitempty"`
	// The job that has new log lines.
	JobID *string `json:"jobId,omitempty"`
	// `queue`, `execution`, `job.logged`, `alert`, `settings`, or `resync` if changes were missed and all resources must be
	// read again.
	Kind string `json:"kind"`
	// The queue whose jobs or slots changed.
	Queue *QueueName `json:"queue,omitempty"`
}

// Command: A command to an execution.
type Command struct {
	ExecutionID string `json:"executionId"`
	// Kind of command, such as `cancel` or `retry`.
	Intent   string `json:"intent"`
	Position int64  `json:"position"`
	// Reason for refusing the command.
	Reason *string       `json:"reason,omitempty"`
	Status CommandStatus `json:"status"`
	// Step of the execution that applied or refused the command, from 1.
	Step *int64 `json:"step,omitempty"`
}

// CommandAccepted: A stored command.
type CommandAccepted struct {
	// Position of the command; its status is at `/v1/commands/{position}`.
	CommandPosition int64 `json:"commandPosition"`
}

// CommandStatus is the schema CommandStatus of the API.
type CommandStatus string

// What a CommandStatus may be. A newer server may say something else.
const (
	CommandStatusPending CommandStatus = "pending"
	CommandStatusApplied CommandStatus = "applied"
	CommandStatusRefused CommandStatus = "refused"
)

// Completion: A completed job.
type Completion struct {
	// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
	ID         string                     `json:"id"`
	LeaseToken string                     `json:"leaseToken"`
	// Log lines of the attempt so far; at most 100 per call.
	Logs []LogLine `json:"logs,omitempty"`
	// Result of the handler.
	Result json.RawMessage `json:"result,omitempty"`
}

// CreatedExecution: An accepted execution.
type CreatedExecution struct {
	// Position of the signal, for `GET /v1/commands/{position}`.
	CommandPosition *int64 `json:"commandPosition,omitempty"`
	// True if it already exists; absent for a new one.
	Existing *bool  `json:"existing,omitempty"`
	ID       string `json:"id"`
	// Its job on `workflow-execution`.
	JobID string `json:"jobId"`
	// Queue position of the job: lower positions of a lane are processed first.
	Position int64 `json:"position"`
	// The execution that was cancelled for this one.
	Replaces *string         `json:"replaces,omitempty"`
	Status   ExecutionStatus `json:"status"`
}

// DeadLetter: A job that failed permanently.
type DeadLetter struct {
	ArchiveReason *string `json:"archiveReason,omitempty"`
	// Number of attempts.
	AttemptCount int32 `json:"attemptCount"`
	// Attempts, oldest first. Absent in lists.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Searchable attributes by name.
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
	// Payload of the job. Lists omit payloads above 4 KiB; read the dead letter instead.
	Data   json.RawMessage `json:"data,omitempty"`
	DiedAt time.Time       `json:"diedAt"`
	// The last error.
	Error       JobError `json:"error"`
	ExecutionID *string  `json:"executionId,omitempty"`
	// Fingerprint that groups failures of the same kind.
	Fingerprint string  `json:"fingerprint"`
	ID          string  `json:"id"`
	JobID       string  `json:"jobId"`
	JobType     string  `json:"jobType"`
	NodeID      *string `json:"nodeId,omitempty"`
	// Payloads larger than `maxPayload`, which are null here.
	Omitted  []OmittedPayload `json:"omitted,omitempty"`
	Priority Priority         `json:"priority"`
	Queue    QueueName        `json:"queue"`
	// Reason for the permanent failure.
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
	// Job ID, which does not change.
	JobID  string           `json:"jobId"`
	Status DeadLetterStatus `json:"status"`
}

// DeadLetterGroup: A group of dead letters with the same kind of error.
type DeadLetterGroup struct {
	// Number of open dead letters.
	Count     int64      `json:"count"`
	DecidedAt *time.Time `json:"decidedAt,omitempty"`
	// Who made the last decision.
	DecidedBy *string `json:"decidedBy,omitempty"`
	// Error of the newest dead letter.
	Error       JobError  `json:"error"`
	Fingerprint string    `json:"fingerprint"`
	FirstAt     time.Time `json:"firstAt"`
	JobType     string    `json:"jobType"`
	LastAt      time.Time `json:"lastAt"`
	Note        *string   `json:"note,omitempty"`
	// Whether a resolved or ignored group reopened automatically.
	Reopened bool                 `json:"reopened"`
	State    DeadLetterGroupState `json:"state"`
	// Number of tenants with open dead letters.
	TenantCount int64 `json:"tenantCount"`
	// The most affected tenants, at most ten.
	Tenants []DeadLetterGroupTenant `json:"tenants"`
	// Permanent failures in each hour of the last day, oldest first; the last is the current hour.
	Trend []int64 `json:"trend"`
	// When an ignored group reopens.
	Until *DeadLetterGroupUntil `json:"until,omitempty"`
}

// DeadLetterGroupStanding: State of a group of dead letters, with the last decision about it.
type DeadLetterGroupStanding struct {
	DecidedAt *time.Time `json:"decidedAt,omitempty"`
	// Who made the last decision.
	DecidedBy   *string `json:"decidedBy,omitempty"`
	Fingerprint string  `json:"fingerprint"`
	Note        *string `json:"note,omitempty"`
	// Whether a resolved or ignored group reopened automatically.
	Reopened bool                 `json:"reopened"`
	State    DeadLetterGroupState `json:"state"`
	// When an ignored group reopens.
	Until *DeadLetterGroupUntil `json:"until,omitempty"`
}

// DeadLetterGroupState is the schema DeadLetterGroupState of the API.
type DeadLetterGroupState string

// What a DeadLetterGroupState may be. A newer server may say something else.
const (
	DeadLetterGroupStateOpen     DeadLetterGroupState = "open"
	DeadLetterGroupStateResolved DeadLetterGroupState = "resolved"
	DeadLetterGroupStateIgnored  DeadLetterGroupState = "ignored"
)

// DeadLetterGroupTenant: A tenant in a group of dead letters.
type DeadLetterGroupTenant struct {
	// Number of open dead letters.
	Count  int64  `json:"count"`
	Tenant string `json:"tenant"`
}

// DeadLetterGroupUntil: When an ignored group reopens: as soon as one of these conditions is met.
type DeadLetterGroupUntil struct {
	// Reopens after this number of further dead letters, 1 to 10,000.
	Count *int32 `json:"count,omitempty"`
	// Instant.
	Instant *time.Time `json:"instant,omitempty"`
	// Reopens with the first dead letter of an execution of this version of `workflow`, or of a later version.
	Version *int32 `json:"version,omitempty"`
	// Workflow of `version`.
	Workflow *string `json:"workflow,omitempty"`
}

// DeadLetterStatus is the schema DeadLetterStatus of the API.
type DeadLetterStatus string

// What a DeadLetterStatus may be. A newer server may say something else.
const (
	DeadLetterStatusOpen     DeadLetterStatus = "open"
	DeadLetterStatusRequeued DeadLetterStatus = "requeued"
	DeadLetterStatusArchived DeadLetterStatus = "archived"
)

// DeadReason is the schema DeadReason of the API.
type DeadReason string

// What a DeadReason may be. A newer server may say something else.
const (
	DeadReasonRetriesExhausted DeadReason = "retries_exhausted"
	DeadReasonNonRetryable     DeadReason = "non_retryable"
	DeadReasonWorkerLost       DeadReason = "worker_lost"
	DeadReasonTimeout          DeadReason = "timeout"
)

// Debounce: Starts one execution with the input of the last event, after a period without events.
type Debounce struct {
	// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
	Key *string `json:"key,omitempty"`
	// Period without an event after which the execution starts, up to 30d.
	Period string `json:"period"`
	// Maximum wait after the first event (default: 10 periods).
	Timeout *string `json:"timeout,omitempty"`
}

// Delivery: A request to a webhook endpoint.
type Delivery struct {
	// The exact body, encoded as `bodyEncoding`. Absent in lists and if it is not stored.
	Body *string `json:"body,omitempty"`
	// Size of the body in bytes, even if the body is not stored.
	BodyBytes int64 `json:"bodyBytes"`
	// `text` if the body is UTF-8, otherwise `base64`.
	BodyEncoding *string `json:"bodyEncoding,omitempty"`
	// A curl command that sends the request again, without redacted values. Absent in lists and for events.
	Curl *string `json:"curl,omitempty"`
	// For a duplicate, the first delivery.
	DuplicateOf *string `json:"duplicateOf,omitempty"`
	// Event type of the provider, or the name of the event.
	EventType *string `json:"eventType,omitempty"`
	// Executions that the delivery started.
	Executions []string `json:"executions"`
	// Header names and values in order, with signatures, tokens and cookies redacted. Absent in lists.
	Headers [][]string `json:"headers,omitempty"`
	ID      string     `json:"id"`
	// Its job on `workflow-webhook`.
	JobID *string `json:"jobId,omitempty"`
	// HTTP method; null for an event.
	Method *string `json:"method,omitempty"`
	// The body, if it is larger than `maxPayload` and therefore absent here.
	Omitted []OmittedPayload `json:"omitted,omitempty"`
	// When retention dropped the body. `bodyBytes` is 0 from then on.
	PayloadDroppedAt *time.Time `json:"payloadDroppedAt,omitempty"`
	// When the triggers were evaluated.
	ProcessedAt *time.Time `json:"processedAt,omitempty"`
	// Event ID of the provider, or of the sender.
	ProviderEventID *string `json:"providerEventId,omitempty"`
	// Reason for rejecting or parking the delivery.
	Reason        *string   `json:"reason,omitempty"`
	ReceivedAt    time.Time `json:"receivedAt"`
	RemoteAddress *string   `json:"remoteAddress,omitempty"`
	// For a replay, the original delivery.
	ReplayOf *string `json:"replayOf,omitempty"`
	// ID of the secret that verified the delivery.
	SecretID *string `json:"secretId,omitempty"`
	// How it was received: `webhook` or `event`.
	Source DeliverySource `json:"source"`
	Status DeliveryStatus `json:"status"`
	// Path and query, with sensitive values redacted; null for an event.
	Target      *string `json:"target,omitempty"`
	Tenant      string  `json:"tenant"`
	Traceparent *string `json:"traceparent,omitempty"`
	// Result of each trigger. Absent in lists and before the triggers are evaluated.
	Triggers []DeliveryTriggerOutcome `json:"triggers,omitempty"`
	// The endpoint; null for an event.
	WebhookID *string `json:"webhookId,omitempty"`
	// Nodes of waiting executions that the delivery woke, up to about 1,000.
	Woke []WokenNode `json:"woke"`
}

// DeliverySource is the schema DeliverySource of the API.
type DeliverySource string

// What a DeliverySource may be. A newer server may say something else.
const (
	DeliverySourceWebhook DeliverySource = "webhook"
	DeliverySourceEvent   DeliverySource = "event"
)

// DeliveryStatus is the schema DeliveryStatus of the API.
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

// DeliveryTriggerError: Error of a trigger.
type DeliveryTriggerError struct {
	// Stable code, such as `filter_failed`.
	Code string `json:"code"`
	// Message.
	Message string `json:"message"`
}

// DeliveryTriggerOutcome: The result of a trigger.
type DeliveryTriggerOutcome struct {
	Error       *DeliveryTriggerError `json:"error,omitempty"`
	ExecutionID *string               `json:"executionId,omitempty"`
	// Earliest expected start time, estimated when the trigger was evaluated. Present while the start is put off.
	PutOffUntil *time.Time `json:"putOffUntil,omitempty"`
	// `started`, `started_before`, `joined`, `exists`, `no_match` or `error`; `debounced`, `throttled` or `batched`
	// while the start is put off.
	Result    string `json:"result"`
	TriggerID string `json:"triggerId"`
	Workflow  string `json:"workflow"`
}

// DevTime: The time of a development server.
type DevTime struct {
	// Current time.
	Now time.Time `json:"now"`
	// Whether time skips forward automatically while no work is in progress.
	Skip bool `json:"skip"`
	// Number of executions that schedules started during the call.
	Started int32 `json:"started"`
}

// Dispatch: The state of dispatch.
type Dispatch struct {
	// Whether dispatch is draining: no more offers are made.
	Draining bool `json:"draining"`
	// `polling` or `kafka_outbox`.
	Mode string `json:"mode"`
	// Processes that use the database.
	Nodes  []DispatchNode `json:"nodes"`
	Offers DispatchOffers `json:"offers"`
	Outbox DispatchOutbox `json:"outbox"`
	// Messages per second that relays published recently.
	PublishedPerSecond int64           `json:"publishedPerSecond"`
	Shards             []DispatchShard `json:"shards"`
}

// DispatchFault: A failure to publish a message.
type DispatchFault struct {
	At time.Time `json:"at"`
	// `broker_away`, `queue_full`, `not_acknowledged`, or the code of dead letters, such as `message_too_large`.
	Reason string `json:"reason"`
}

// DispatchHeldType: A job type for which no offers are made.
type DispatchHeldType struct {
	JobType string `json:"jobType"`
	// `topic_not_created`, `not_acknowledged`, or why its topics could not be looked up.
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// DispatchNode: A process that uses the database.
type DispatchNode struct {
	// Time since which its relay has been unable to reach a broker.
	BrokerAwaySince *time.Time `json:"brokerAwaySince,omitempty"`
	// Job types with waiting jobs for which it makes no offers, at most 100.
	HeldTypes []DispatchHeldType `json:"heldTypes"`
	LastError *DispatchFault     `json:"lastError,omitempty"`
	Name      string             `json:"name"`
	// Failures to publish a message since it started.
	PublishErrors int64 `json:"publishErrors"`
	// Messages published since it started.
	Published          int64 `json:"published"`
	PublishedPerSecond int64 `json:"publishedPerSecond"`
	// Whether it publishes offers.
	Relay bool `json:"relay"`
	// Messages that the broker has not acknowledged.
	Unacknowledged int64 `json:"unacknowledged"`
}

// DispatchOffers: Open offers.
type DispatchOffers struct {
	JobTypes []DispatchOffersOfType `json:"jobTypes"`
	// Number of offers that the broker has but no worker has accepted.
	Lag int64 `json:"lag"`
	// Time at which the oldest offer was made.
	OldestAt *time.Time `json:"oldestAt,omitempty"`
	// Number of offers.
	Standing int64 `json:"standing"`
	// Number of messages that the broker has not acknowledged.
	Unacknowledged int64 `json:"unacknowledged"`
}

// DispatchOffersOfType: Offers of a job type.
type DispatchOffersOfType struct {
	JobType string `json:"jobType"`
	// Time at which the oldest offer was made.
	OldestAt time.Time `json:"oldestAt"`
	Standing int64     `json:"standing"`
}

// DispatchOutbox: Waiting jobs of external workers.
type DispatchOutbox struct {
	AsOf  time.Time `json:"asOf"`
	Exact bool      `json:"exact"`
	// Number of waiting jobs; a lower bound if `exact` is false.
	Jobs int64 `json:"jobs"`
	// Time at which the oldest of them was queued.
	OldestAt *time.Time `json:"oldestAt,omitempty"`
}

// DispatchShard: A shard of job types.
type DispatchShard struct {
	// Name of the node that publishes its offers.
	Node  *string `json:"node,omitempty"`
	Shard int32   `json:"shard"`
	// Number of the term, which increases with each new owner.
	Term int64 `json:"term"`
	// Time at which the term ends unless it is renewed. Present with `node`.
	Until *time.Time `json:"until,omitempty"`
}

// Doctor: The results of the checks.
type Doctor struct {
	Checks []DoctorCheck `json:"checks"`
	// Whether no check failed.
	Ok bool `json:"ok"`
}

// DoctorCheck: A check.
type DoctorCheck struct {
	// What was checked, such as `snapshots`.
	Check string `json:"check"`
	// What was found.
	Detail string `json:"detail"`
	// Objects that the finding is based on.
	Evidence []map[string]json.RawMessage `json:"evidence,omitempty"`
	// How to fix it; present with `warn` and `fail`.
	Fix    *string           `json:"fix,omitempty"`
	Status DoctorCheckStatus `json:"status"`
}

// DoctorCheckStatus is the schema DoctorCheckStatus of the API.
type DoctorCheckStatus string

// What a DoctorCheckStatus may be. A newer server may say something else.
const (
	DoctorCheckStatusOk      DoctorCheckStatus = "ok"
	DoctorCheckStatusWarn    DoctorCheckStatus = "warn"
	DoctorCheckStatusFail    DoctorCheckStatus = "fail"
	DoctorCheckStatusSkipped DoctorCheckStatus = "skipped"
)

// EncryptionRequest: A change of the encryption of a tenant.
type EncryptionRequest struct {
	// Whether payloads are encrypted from now on.
	Enabled bool `json:"enabled"`
}

// Enqueued: An accepted job.
type Enqueued struct {
	// True if an unfinished job with the same unique key already exists; absent for a new job.
	Existing *bool `json:"existing,omitempty"`
	// Job ID.
	ID string `json:"id"`
	// Queue position: lower positions of a lane are processed first.
	Position int64 `json:"position"`
	// Status.
	Status JobStatus `json:"status"`
}

// EventBatch: Events to send in one commit.
type EventBatch struct {
	// The events, at most 1,000.
	Events []EventRequest `json:"events"`
}

// EventRequest: An event to send.
type EventRequest struct {
	// Any JSON value, up to 1 MiB (default: null).
	Data json.RawMessage `json:"data,omitempty"`
	// ID chosen by the sender. A second event with the same name and ID within 24 hours is a duplicate.
	ID *string `json:"id,omitempty"`
	// Event name: a letter or digit, then up to 127 letters, digits, `.`, `_`, `/` or `-`.
	Name string `json:"name"`
	// Tenant (default: the key's tenant, or `default`).
	Tenant *string `json:"tenant,omitempty"`
	// W3C trace context passed to executions. Overrides the `traceparent` header.
	Traceparent *string `json:"traceparent,omitempty"`
}

// EventTrigger: A trigger that starts a workflow for each event it matches.
type EventTrigger struct {
	// Starts one execution for several events. In `input`, only `batch` is in scope:
	// a list of `{event, body, delivery}`.
	Batch     *BatchOfEvents `json:"batch,omitempty"`
	CreatedAt time.Time      `json:"createdAt"`
	// Starts one execution with the input of the last event, after a period without events.
	Debounce *Debounce `json:"debounce,omitempty"`
	// Event names that it matches.
	Events   []string        `json:"events"`
	Filter   *string         `json:"filter,omitempty"`
	ID       string          `json:"id"`
	Input    json.RawMessage `json:"input,omitempty"`
	Name     string          `json:"name"`
	Paused   bool            `json:"paused"`
	Priority *Priority       `json:"priority,omitempty"`
	// Revision, incremented by each change.
	Revision int64  `json:"revision"`
	Tenant   string `json:"tenant"`
	// Limits the number of starts in any period. Further starts are delayed.
	Throttle  *Throttle `json:"throttle,omitempty"`
	UpdatedAt time.Time `json:"updatedAt"`
	// Workflow version; absent for the latest.
	Version *int32 `json:"version,omitempty"`
	// Workflow that it starts.
	Workflow string `json:"workflow"`
}

// EventTriggerRequest: A trigger to save.
type EventTriggerRequest struct {
	// Starts one execution for several events. In `input`, only `batch` is in scope:
	// a list of `{event, body, delivery}`.
	Batch *BatchOfEvents `json:"batch,omitempty"`
	// Starts one execution with the input of the last event, after a period without events.
	Debounce *Debounce `json:"debounce,omitempty"`
	// Event names to match, such as `order.paid` or `order.*`.
	Events []string `json:"events"`
	// CEL condition over `event`, `body` and `delivery`.
	Filter *string `json:"filter,omitempty"`
	// Execution input, with `${…}` expressions in strings (default: the body).
	Input json.RawMessage `json:"input,omitempty"`
	// Unique within the tenant.
	Name string `json:"name"`
	// Whether the trigger is paused (default: false for a new one, unchanged for an existing one).
	Paused *bool `json:"paused,omitempty"`
	// Priority (default `high`).
	Priority *Priority `json:"priority,omitempty"`
	// Expected current revision of the trigger; the update is rejected if it differs. Not allowed for a new trigger.
	Revision *int64 `json:"revision,omitempty"`
	// Tenant (default: the key's tenant, or `default`). It cannot change later.
	Tenant *string `json:"tenant,omitempty"`
	// Limits the number of starts in any period. Further starts are delayed.
	Throttle *Throttle `json:"throttle,omitempty"`
	// Workflow version (default: the latest).
	Version *int32 `json:"version,omitempty"`
	// Workflow to start.
	Workflow string `json:"workflow"`
}

// Execution: An execution.
type Execution struct {
	// Searchable attributes by name.
	Attributes    map[string]json.RawMessage `json:"attributes,omitempty"`
	CompletedAt   *time.Time                 `json:"completedAt,omitempty"`
	CorrelationID *string                    `json:"correlationId,omitempty"`
	CreatedAt     time.Time                  `json:"createdAt"`
	Error         *ExecutionError            `json:"error,omitempty"`
	// Fingerprint of the most recent dead letter among its jobs.
	Fingerprint *string `json:"fingerprint,omitempty"`
	ID          string  `json:"id"`
	// Input. Absent in lists.
	Input json.RawMessage `json:"input,omitempty"`
	JobID string          `json:"jobId"`
	// Payloads larger than `maxPayload`, which are null here.
	Omitted []OmittedPayload `json:"omitted,omitempty"`
	// Output, once the status is `COMPLETED`. Absent in lists.
	Output json.RawMessage `json:"output,omitempty"`
	// Parent execution.
	Parent *Parent `json:"parent,omitempty"`
	// When retention dropped the input and output of the execution and its nodes, which are null from then on.
	PayloadDroppedAt *time.Time      `json:"payloadDroppedAt,omitempty"`
	Priority         Priority        `json:"priority"`
	StartedAt        *time.Time      `json:"startedAt,omitempty"`
	Status           ExecutionStatus `json:"status"`
	Tags             []string        `json:"tags,omitempty"`
	Tenant           string          `json:"tenant"`
	Traceparent      *string         `json:"traceparent,omitempty"`
	Trigger          Trigger         `json:"trigger"`
	// Unique key.
	UniqueKey *string `json:"uniqueKey,omitempty"`
	Version   int32   `json:"version"`
	Workflow  string  `json:"workflow"`
}

// ExecutionBatch: Executions to start in one commit.
type ExecutionBatch struct {
	// The executions, at most 10,000.
	Executions []ExecutionRequest `json:"executions"`
	// Whether valid executions are accepted even if others are invalid (default false: atomic).
	Partial *bool `json:"partial,omitempty"`
}

// ExecutionError: Why an execution failed.
type ExecutionError struct {
	Code    *string `json:"code,omitempty"`
	Message string  `json:"message"`
	// ID of the failed node.
	Node *string `json:"node,omitempty"`
}

// ExecutionRequest: An execution to start.
type ExecutionRequest struct {
	// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
	// Correlation ID chosen by the caller.
	CorrelationID *string `json:"correlationId,omitempty"`
	// Delay before the earliest start.
	Delay *string `json:"delay,omitempty"`
	// Maximum wait for the start, counted from when the execution may start (default: the workflow's). An execution
	// that has not started by then is cancelled with the error code `expired`.
	ExpiresIn *string `json:"expiresIn,omitempty"`
	// Input, validated against the workflow's schema (default: an empty object).
	Input json.RawMessage `json:"input,omitempty"`
	// Priority (default `high`).
	Priority *Priority `json:"priority,omitempty"`
	// Earliest start time. Mutually exclusive with `delay`.
	RunAt *time.Time `json:"runAt,omitempty"`
	// Signal for the open execution with the key, or for the new one. Requires `uniqueKey` and the policy `join`.
	Signal *StartSignal `json:"signal,omitempty"`
	// Tags for filtering.
	Tags []string `json:"tags,omitempty"`
	// Tenant (default: the key's tenant, or `default`).
	Tenant *string `json:"tenant,omitempty"`
	// W3C trace context passed to workers. Overrides the `traceparent` header.
	Traceparent *string `json:"traceparent,omitempty"`
	// Unique key of the execution within its tenant and workflow while it is open.
	UniqueKey *string `json:"uniqueKey,omitempty"`
	// What happens while an execution with the key is open: `join` (default), `reject`, `replace` or `queue`.
	UniquePolicy *UniquePolicy `json:"uniquePolicy,omitempty"`
	// Workflow version (default: the latest).
	Version *int32 `json:"version,omitempty"`
	// Workflow name.
	Workflow string `json:"workflow"`
}

// ExecutionState: The status of an execution and its nodes after an entry of its timeline.
type ExecutionState struct {
	At time.Time `json:"at"`
	// Code of the entry.
	Kind TimelineEventKind `json:"kind"`
	// Node that the entry is about.
	NodeID *string `json:"nodeId,omitempty"`
	// Status of each node that has started or ended, by ID; compensations as `charge:compensate`.
	Nodes map[string]NodeStatus `json:"nodes"`
	// Position of the entry.
	Position int64 `json:"position"`
	// Status of the execution after the entry.
	Status ExecutionStatus `json:"status"`
}

// ExecutionStatus is the schema ExecutionStatus of the API.
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

// ExecutionWhy: What an execution is waiting for.
type ExecutionWhy struct {
	// Explanation.
	Detail string `json:"detail"`
	// Why its own job is not running, if the execution waits for that.
	Job *Why `json:"job,omitempty"`
	// `finished`, `waiting` (see `waitsFor`), `running`, or the reason why its own job is not running,
	// such as `limit_workflow`.
	Reason WhyReason       `json:"reason"`
	Status ExecutionStatus `json:"status"`
	// What its nodes wait for, in definition order, at most 100.
	WaitsFor []NodeWait `json:"waitsFor"`
}

// Failure: A failed job.
type Failure struct {
	// Error: an object, or just a message.
	Error      JobError `json:"error"`
	ID         string   `json:"id"`
	LeaseToken string   `json:"leaseToken"`
	// Log lines of the attempt so far; at most 100 per call.
	Logs []LogLine `json:"logs,omitempty"`
	// Delay before the next retry, instead of the backoff.
	RetryAfter *string `json:"retryAfter,omitempty"`
	// Retryable (default true).
	Retryable *bool `json:"retryable,omitempty"`
}

// Fault: One error of an invalid request.
type Fault struct {
	// With `query_invalid` and `attribute_undeclared`: length of the invalid part, in code points.
	Length *int32 `json:"length,omitempty"`
	// What is wrong and what is expected.
	Message string `json:"message"`
	// JSON pointer into the body, or `/` and the name of the query parameter.
	Pointer string `json:"pointer"`
	// With `query_invalid` and `attribute_undeclared`: start of the invalid part of the query, in code points from 0.
	Position *int32 `json:"position,omitempty"`
}

// FireReason is the schema FireReason of the API.
type FireReason string

// What a FireReason may be. A newer server may say something else.
const (
	FireReasonTick     FireReason = "tick"
	FireReasonCatchup  FireReason = "catchup"
	FireReasonBackfill FireReason = "backfill"
	FireReasonManual   FireReason = "manual"
)

// GroupDecisionRequest: Options of resolving or reopening a group.
type GroupDecisionRequest struct {
	// Explanation for other people.
	Note *string `json:"note,omitempty"`
}

// GroupIgnoreRequest: Options of ignoring a group.
type GroupIgnoreRequest struct {
	// Explanation for other people.
	Note *string `json:"note,omitempty"`
	// When the group reopens (default: only when someone reopens it).
	Until *DeadLetterGroupUntil `json:"until,omitempty"`
}

// Health: Server status.
type Health struct {
	// Time since which this server has been unable to reach Kafka, if it publishes jobs there. Meanwhile, jobs wait in
	// the database.
	BrokerAwaySince *time.Time `json:"brokerAwaySince,omitempty"`
	// `ok` or `ready`.
	Status string `json:"status"`
}

// Heartbeat: A lease to renew.
type Heartbeat struct {
	// New lease duration from now on (default: the original duration).
	Extend     *string `json:"extend,omitempty"`
	ID         string  `json:"id"`
	LeaseToken string  `json:"leaseToken"`
	// Log lines of the attempt so far; at most 100 per call.
	Logs []LogLine `json:"logs,omitempty"`
	// Progress, shown with the job.
	Progress json.RawMessage `json:"progress,omitempty"`
}

// Job: A job.
type Job struct {
	// Attempts, oldest first. Absent in lists.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Searchable attributes by name.
	Attributes     map[string]json.RawMessage `json:"attributes,omitempty"`
	Backoff        Backoff                    `json:"backoff"`
	CompletedAt    *time.Time                 `json:"completedAt,omitempty"`
	ConcurrencyKey *string                    `json:"concurrencyKey,omitempty"`
	CreatedAt      time.Time                  `json:"createdAt"`
	// Payload. Lists omit payloads above 4 KiB; read the job instead.
	Data json.RawMessage `json:"data,omitempty"`
	// The last error.
	Error       *JobError `json:"error,omitempty"`
	ExecutionID *string   `json:"executionId,omitempty"`
	// Fingerprint of the last error: the same for failures of the same kind, and for the dead letter.
	Fingerprint *string `json:"fingerprint,omitempty"`
	ID          string  `json:"id"`
	JobType     string  `json:"jobType"`
	// Expiry time of the lease, while the job is leased.
	LeaseExpiresAt *time.Time `json:"leaseExpiresAt,omitempty"`
	MaxRetries     int32      `json:"maxRetries"`
	NodeID         *string    `json:"nodeId,omitempty"`
	// Expiry time of the current offer through Kafka, during which the status is `QUEUED`.
	OfferedUntil *time.Time `json:"offeredUntil,omitempty"`
	// Payloads larger than `maxPayload`, which are null here.
	Omitted []OmittedPayload `json:"omitted,omitempty"`
	// When retention dropped the data and the result, which are null from then on.
	PayloadDroppedAt *time.Time `json:"payloadDroppedAt,omitempty"`
	// Queue position within its lane.
	Position int64    `json:"position"`
	Priority Priority `json:"priority"`
	// When the last attempt started.
	ProcessedAt *time.Time `json:"processedAt,omitempty"`
	// Last progress reported by the worker.
	Progress   json.RawMessage `json:"progress,omitempty"`
	Queue      QueueName       `json:"queue"`
	RateKey    *string         `json:"rateKey,omitempty"`
	Result     json.RawMessage `json:"result,omitempty"`
	RetryCount int32           `json:"retryCount"`
	// Earliest time of the next attempt.
	RunAt       time.Time `json:"runAt"`
	Status      JobStatus `json:"status"`
	Tags        []string  `json:"tags,omitempty"`
	Tenant      string    `json:"tenant"`
	Timeout     *string   `json:"timeout,omitempty"`
	Traceparent *string   `json:"traceparent,omitempty"`
	UniqueKey   *string   `json:"uniqueKey,omitempty"`
	// Worker that holds or last held the lease.
	WorkerID *string `json:"workerId,omitempty"`
	// Workflow whose limits apply to the job.
	Workflow *string `json:"workflow,omitempty"`
}

// JobBatch: Jobs to enqueue in one commit.
type JobBatch struct {
	// The jobs, at most 10,000.
	Jobs []JobRequest `json:"jobs"`
	// Whether valid jobs are accepted even if others are invalid (default false: atomic).
	Partial *bool `json:"partial,omitempty"`
}

// JobChange: A changed job.
type JobChange struct {
	ID string `json:"id"`
	// New status.
	Status JobStatus `json:"status"`
}

// JobError: An error of a job.
type JobError struct {
	// Error code for programs.
	Code *string `json:"code,omitempty"`
	// Additional details from the handler.
	Details json.RawMessage `json:"details,omitempty"`
	// Message for people.
	Message string `json:"message"`
}

// JobLines: Log lines of a leased job.
type JobLines struct {
	ID         string `json:"id"`
	LeaseToken string `json:"leaseToken"`
	// Lines, in order; at most 100 per call.
	Lines []LogLine `json:"lines"`
}

// JobRequest: A job to enqueue.
type JobRequest struct {
	// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
	// Backoff between retries.
	Backoff *Backoff `json:"backoff,omitempty"`
	// At most one leased job of the tenant has this key, or as many as `maxConcurrent` of `/v1/rates/{key}` says.
	ConcurrencyKey *string `json:"concurrencyKey,omitempty"`
	// Payload, passed to the worker unchanged (default `null`).
	Data json.RawMessage `json:"data,omitempty"`
	// Delay before the earliest start.
	Delay *string `json:"delay,omitempty"`
	// Maximum wait for the start, counted from when the job may run. A job that has not started by then is cancelled
	// with the error code `expired`.
	ExpiresIn *string `json:"expiresIn,omitempty"`
	// Job type, which selects the handler.
	JobType string `json:"jobType"`
	// Maximum number of retries after a failure.
	MaxRetries *int32 `json:"maxRetries,omitempty"`
	// Priority (default `normal`).
	Priority *Priority `json:"priority,omitempty"`
	// Rate key. If a rate is set for it, starts of the job are counted under that rate.
	RateKey *string `json:"rateKey,omitempty"`
	// Earliest start time. Mutually exclusive with `delay`.
	RunAt *time.Time `json:"runAt,omitempty"`
	// Tags for filtering.
	Tags []string `json:"tags,omitempty"`
	// Tenant (default: the key's tenant, or `default`).
	Tenant *string `json:"tenant,omitempty"`
	// Timeout of each attempt.
	Timeout *string `json:"timeout,omitempty"`
	// W3C trace context passed to the worker. Overrides the `traceparent` header.
	Traceparent *string `json:"traceparent,omitempty"`
	// At most one unfinished job of the tenant has this key.
	UniqueKey *string `json:"uniqueKey,omitempty"`
}

// JobStatus is the schema JobStatus of the API.
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

// KeyRate: The rate of a rate key.
type KeyRate struct {
	// Rate key, or a prefix of rate keys that ends in `*`.
	Key string `json:"key"`
	// Maximum number of concurrent jobs of each key; absent if unlimited.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// Starts per period of each key.
	Rate   json.RawMessage `json:"rate"`
	Tenant string          `json:"tenant"`
}

// KeyRateRequest: The rate to set for a rate key.
type KeyRateRequest struct {
	// Maximum number of concurrent jobs of each key (default: unlimited).
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// Starts per period of each key.
	Rate json.RawMessage `json:"rate"`
}

// KeyRates: The rates of all rate keys.
type KeyRates struct {
	// The rates, by tenant and key.
	Items []KeyRate `json:"items"`
}

// KeyRotation: Options of a key rotation.
type KeyRotation struct {
	// How long the previous secret stays valid, up to 30 d (default 24 h).
	Overlap *string `json:"overlap,omitempty"`
}

// KeyScope: A scope of an API key.
//
// An action is `jobs.enqueue`, `jobs.*`, `*.read`, `*` or similar; a name is complete or ends in `*`. A scope with
// names grants only those of its actions that names can restrict.
type KeyScope struct {
	// Actions that the scope grants.
	Actions []string `json:"actions"`
	// Job types to which the scope applies.
	JobTypes []string `json:"jobTypes,omitempty"`
	// Queues to which the scope applies.
	Queues []string `json:"queues,omitempty"`
	// Tenants to which the scope applies. Polling across all tenants requires `*`.
	Tenants []string `json:"tenants,omitempty"`
	// Workflows to which the scope applies.
	Workflows []string `json:"workflows,omitempty"`
}

// LeaseOutcome is the schema LeaseOutcome of the API.
type LeaseOutcome string

// What a LeaseOutcome may be. A newer server may say something else.
const (
	LeaseOutcomeOk          LeaseOutcome = "ok"
	LeaseOutcomeAlreadyDone LeaseOutcome = "already_done"
	LeaseOutcomeCancelled   LeaseOutcome = "cancelled"
	LeaseOutcomeLeaseLost   LeaseOutcome = "lease_lost"
	LeaseOutcomeRejected    LeaseOutcome = "rejected"
)

// LimitChanges: Limits of one queue. Absent fields keep their limit; null removes an override.
type LimitChanges struct {
	// Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`.
	JobTypeRate json.RawMessage `json:"jobTypeRate,omitempty"`
	// Maximum number of concurrent jobs.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// Starts per period: a window such as `"100/1m"`, which allows at most 100 starts in any minute, or a token bucket
	// that refills evenly.
	Rate json.RawMessage `json:"rate,omitempty"`
	// Limit of each tenant without its own limit. Only on `/v1/limits`.
	TenantMaxConcurrent *int32 `json:"tenantMaxConcurrent,omitempty"`
	// Rate of each tenant without its own rate. Only on `/v1/limits`.
	TenantRate json.RawMessage `json:"tenantRate,omitempty"`
	// Limit of each workflow without its own limit. Only on `/v1/limits`.
	WorkflowMaxConcurrent *int32 `json:"workflowMaxConcurrent,omitempty"`
	// Rate of each workflow without its own rate. Only on `/v1/limits`.
	WorkflowRate json.RawMessage `json:"workflowRate,omitempty"`
}

// ListCount: Number of matching objects.
type ListCount struct {
	// Whether `value` is exact. Otherwise it is a lower bound, because counting is bounded.
	Exact bool `json:"exact"`
	// Number of matches, at most 10,000.
	Value int64 `json:"value"`
}

// LogLevel is the schema LogLevel of the API.
type LogLevel string

// What a LogLevel may be. A newer server may say something else.
const (
	LogLevelDebug LogLevel = "debug"
	LogLevelInfo  LogLevel = "info"
	LogLevelWarn  LogLevel = "warn"
	LogLevelError LogLevel = "error"
)

// LogLine: A log line of a handler.
type LogLine struct {
	// Time of the line by the worker's clock (default: now).
	At *time.Time `json:"at,omitempty"`
	// Structured fields: an object.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
	Level  LogLevel                   `json:"level"`
	// Text; message and fields have at most 8 KiB together, and longer lines are cut.
	Message string `json:"message"`
	// Number of the line in its attempt, from 1. Lines that were already received are not stored again.
	Sequence *int32 `json:"sequence,omitempty"`
}

// ManualRun: A manually started execution.
type ManualRun struct {
	ExecutionID string `json:"executionId"`
	// Time of the fire in the history.
	ScheduledFor time.Time `json:"scheduledFor"`
}

// MapItems: Progress of a `MAP`.
type MapItems struct {
	// Number of completed items, including collected failures.
	Completed int32 `json:"completed"`
	// Number of started items.
	Started int32 `json:"started"`
	// Number of items.
	Total int32 `json:"total"`
}

// Me: The caller and the server.
type Me struct {
	// Name under which the audit log lists the caller.
	Actor string `json:"actor"`
	// Allowed actions, such as `jobs.cancel`.
	Can []string `json:"can"`
	// Groups that the caller belongs to in user tasks.
	Groups []string `json:"groups"`
	// API key ID, for callers with a key.
	Key *string `json:"key,omitempty"`
	// Whether responses to the caller include payloads.
	Payloads bool `json:"payloads"`
	// Person that the caller represents in user tasks.
	Person *string `json:"person,omitempty"`
	// Role.
	Role Role `json:"role"`
	// Scopes that restrict the role; empty for none.
	Scopes []map[string]json.RawMessage `json:"scopes"`
	// The server.
	Server MeServer `json:"server"`
	// Tenant that the caller is bound to.
	Tenant *string `json:"tenant,omitempty"`
}

// MeServer: The server, as its operator labels it.
type MeServer struct {
	// Color of the environment, such as `#b91c1c`.
	Color *string `json:"color,omitempty"`
	// Name of the environment, such as `production`.
	Environment *string `json:"environment,omitempty"`
	// Whether the console is read-only.
	ReadOnly bool `json:"readOnly"`
	// Version.
	Version string `json:"version"`
}

// Misfire is the schema Misfire of the API.
type Misfire string

// What a Misfire may be. A newer server may say something else.
const (
	MisfireSkip   Misfire = "skip"
	MisfireLatest Misfire = "latest"
	MisfireAll    Misfire = "all"
)

// MockEvent: An event to deliver.
type MockEvent struct {
	// Time after the start at which it is delivered (default: as soon as a node waits for it).
	After *string `json:"after,omitempty"`
	// Data.
	Data json.RawMessage `json:"data,omitempty"`
	// Event name.
	Name string `json:"name"`
}

// MockResult: How one round of a node ends, after its retries: exactly one of `output`, `error` and `timesOut`.
type MockResult struct {
	// Duration of the round (default: zero).
	After *string `json:"after,omitempty"`
	// Error: an object, or just a message.
	Error *JobError `json:"error,omitempty"`
	// What the handler or child returns, the person submits, or the signal or callback carries.
	Output json.RawMessage `json:"output,omitempty"`
	// Whether the node's timeout ends it.
	TimesOut *bool `json:"timesOut,omitempty"`
}

// MockSignal: A signal to send.
type MockSignal struct {
	// Time after the start at which it is sent (default: as soon as a node waits for it).
	After *string `json:"after,omitempty"`
	// Signal name.
	Name string `json:"name"`
	// Payload.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Move: A move of the store.
type Move struct {
	// Why the move failed.
	Error *string `json:"error,omitempty"`
	ID    string  `json:"id"`
	// How long work was paused, in milliseconds.
	PausedMs *int64 `json:"pausedMs,omitempty"`
	// `copying` (work continues), `finishing` (work is paused), `done` or `failed` (work continues on the old database).
	Phase string `json:"phase"`
	// Rows copied while work continued; rows that changed meanwhile count again.
	RowsCopied int64 `json:"rowsCopied"`
	// Rows copied while work was paused.
	RowsLeft *int64 `json:"rowsLeft,omitempty"`
	// Rows of the database when the move started; 0 until they are counted.
	RowsTotal int64     `json:"rowsTotal"`
	StartedAt time.Time `json:"startedAt"`
	// New database, without credentials.
	To string `json:"to"`
}

// MoveRequest: Target database of a move.
type MoveRequest struct {
	// Schema of its tables.
	Schema *string `json:"schema,omitempty"`
	// Address of an empty PostgreSQL database, with credentials; never shown again.
	To string `json:"to"`
}

// NewAPIKey: A new API key, with its secret.
type NewAPIKey struct {
	CreatedAt time.Time `json:"createdAt"`
	// Expiry time.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// Groups that the key belongs to in user tasks.
	Groups []string `json:"groups,omitempty"`
	ID     string   `json:"id"`
	// When it was last used, accurate to about a minute.
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
	Name       string     `json:"name"`
	// Allowed client networks and addresses (default: any).
	Networks []string `json:"networks,omitempty"`
	// Whether responses include payloads.
	Payloads bool `json:"payloads"`
	// User that the key represents in user tasks.
	Person *string `json:"person,omitempty"`
	// First characters of the secret, to identify the key.
	Prefix string `json:"prefix"`
	// Expiry time of the previous secret after a rotation.
	PreviousUntil *time.Time `json:"previousUntil,omitempty"`
	RevokedAt     *time.Time `json:"revokedAt,omitempty"`
	Role          Role       `json:"role"`
	// When its secret was last changed.
	RotatedAt *time.Time `json:"rotatedAt,omitempty"`
	// Scopes that restrict the role (default: everything the role allows).
	Scopes []KeyScope `json:"scopes,omitempty"`
	Tenant *string    `json:"tenant,omitempty"`
	// The secret, shown only in this response; null when the call is retried with its idempotency key.
	Key *string `json:"key,omitempty"`
}

// NewRuns: Policy for new executions of a paused workflow.
type NewRuns string

// What a NewRuns may be. A newer server may say something else.
const (
	NewRunsQueue  NewRuns = "queue"
	NewRunsRefuse NewRuns = "refuse"
)

// Node: A node of an execution.
type Node struct {
	// Number of attempts so far.
	Attempts int32 `json:"attempts"`
	// One-time callback URL of a `WAIT_WEBHOOK` node until it is used. Hidden from read-only keys.
	CallbackURL *string         `json:"callbackUrl,omitempty"`
	Error       *JobError       `json:"error,omitempty"`
	FinishedAt  *time.Time      `json:"finishedAt,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	// Progress of a `MAP`, once it has started.
	MapItems *MapItems `json:"mapItems,omitempty"`
	// Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify[17]`.
	NodeID string `json:"nodeId"`
	// Payloads larger than `maxPayload`, which are null here.
	Omitted   []OmittedPayload `json:"omitted,omitempty"`
	Output    json.RawMessage  `json:"output,omitempty"`
	StartedAt *time.Time       `json:"startedAt,omitempty"`
	Status    NodeStatus       `json:"status"`
	// Node type, such as `SERVICE_TASK`, `TIMER` or `MAP`.
	Type string `json:"type"`
	// What the node waits for, while it is `WAITING`.
	WaitsFor *NodeWait `json:"waitsFor,omitempty"`
}

// NodeStatus is the schema NodeStatus of the API.
type NodeStatus string

// What a NodeStatus may be. A newer server may say something else.
const (
	NodeStatusPending   NodeStatus = "PENDING"
	NodeStatusRunning   NodeStatus = "RUNNING"
	NodeStatusWaiting   NodeStatus = "WAITING"
	NodeStatusRetryWait NodeStatus = "RETRY_WAIT"
	NodeStatusCompleted NodeStatus = "COMPLETED"
	NodeStatusSkipped   NodeStatus = "SKIPPED"
	NodeStatusFailed    NodeStatus = "FAILED"
	NodeStatusCancelled NodeStatus = "CANCELLED"
)

// NodeWait: What a node waits for.
type NodeWait struct {
	// Explanation.
	Detail string `json:"detail"`
	// Child execution that the node waits for.
	ExecutionID *string `json:"executionId,omitempty"`
	// Why the job is not running.
	Job *Why `json:"job,omitempty"`
	// Its job.
	JobID *string `json:"jobId,omitempty"`
	// The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`.
	NodeID string `json:"nodeId"`
	// `timer`, `signal`, `user_task`, `child`, `callback`, `event`, `delay`, `job_queued`, `job_running` or `retry_wait`.
	Reason string `json:"reason"`
	// Node type, such as `TIMER`.
	Type string `json:"type"`
	// Time of the next event: the timer fires, the wait times out, or the job is retried.
	Until *time.Time `json:"until,omitempty"`
}

// OmittedPayload: A payload that was left out.
type OmittedPayload struct {
	// Size of its JSON text, or of the body of a delivery, in bytes.
	Bytes int32 `json:"bytes"`
	// Name of the field, which is null instead.
	Field string `json:"field"`
	// Path of the payload.
	Href string `json:"href"`
	// SHA-256 of the same bytes, in hexadecimal.
	Sha256 string `json:"sha256"`
}

// Outcome: The outcome of one report.
type Outcome struct {
	ID string `json:"id"`
	// New expiry time of the lease, after a heartbeat.
	LeaseExpiresAt *time.Time   `json:"leaseExpiresAt,omitempty"`
	Outcome        LeaseOutcome `json:"outcome"`
	// Reason for rejecting the report. The lease stays valid.
	Reason *string `json:"reason,omitempty"`
}

// Outcomes: The outcomes of the reports, in order.
type Outcomes struct {
	// True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise.
	Drain *bool `json:"drain,omitempty"`
	// Leased jobs, in the order in which to start them; present if the reports came with a `poll`.
	Jobs []PolledJob `json:"jobs,omitempty"`
	// One outcome per report.
	Results []Outcome `json:"results"`
}

// Overlap is the schema Overlap of the API.
type Overlap string

// What a Overlap may be. A newer server may say something else.
const (
	OverlapAllow          Overlap = "allow"
	OverlapSkip           Overlap = "skip"
	OverlapQueueOne       Overlap = "queueOne"
	OverlapCancelPrevious Overlap = "cancelPrevious"
)

// OwnLimit: The values set for one tenant, workflow or job type, or for a job type of one tenant.
type OwnLimit struct {
	JobType *string `json:"jobType,omitempty"`
	// Maximum number of concurrent jobs; null means unlimited; absent if only a rate is set.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// Starts per period; absent if only a limit is set.
	Rate json.RawMessage `json:"rate,omitempty"`
	// The tenant; for a workflow, the tenant that owns it.
	Tenant   *string `json:"tenant,omitempty"`
	Workflow *string `json:"workflow,omitempty"`
}

// Parent: The parent of an execution.
type Parent struct {
	ExecutionID string `json:"executionId"`
	// Node that started the execution, or the item of a `MAP` such as `book[3]`.
	NodeID string `json:"nodeId"`
}

// PauseRequest: Options of a pause.
type PauseRequest struct {
	// Policy for new executions (default `queue`).
	NewRuns *NewRuns `json:"newRuns,omitempty"`
}

// PayloadKey: A key for payloads, without the key itself.
type PayloadKey struct {
	CreatedAt time.Time `json:"createdAt"`
	// Whether new payloads are encrypted with it. Other keys only decrypt.
	Current bool   `json:"current"`
	ID      string `json:"id"`
	// Name of the key in `secrets.keys` that encrypts this key.
	SealedWith string `json:"sealedWith"`
	// Whether the responding server has that key.
	Usable bool `json:"usable"`
}

// Percentiles: Three percentiles in milliseconds.
type Percentiles struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	P99 int64 `json:"p99"`
}

// Poll: A poll for jobs.
type Poll struct {
	// Build that the worker runs.
	Build *string `json:"build,omitempty"`
	// Pins the job types to these builds when the worker starts. The list must include the worker's own build. From
	// then on, only workers of these builds receive their jobs. A worker that starts later replaces the pin, but not a
	// pin set by an operator.
	Builds []string `json:"builds,omitempty"`
	// Job types that the worker handles.
	JobTypes []string `json:"jobTypes"`
	// Lease duration (default: the queue's setting).
	Lease *string `json:"lease,omitempty"`
	// Maximum number of jobs (default 1).
	MaxJobs *int32 `json:"maxJobs,omitempty"`
	// Filter by tenant.
	Tenant *string `json:"tenant,omitempty"`
	// Maximum wait for a job, up to 30 s (default: no wait).
	Wait *string `json:"wait,omitempty"`
	// Worker ID, random per process.
	WorkerID string `json:"workerId"`
}

// PolledJob: A leased job.
type PolledJob struct {
	// The number of this attempt, from 1.
	Attempt int32           `json:"attempt"`
	Data    json.RawMessage `json:"data"`
	// Deadline of this attempt if the job has a `timeout`. Heartbeats do not extend the lease beyond it.
	Deadline    *time.Time `json:"deadline,omitempty"`
	ExecutionID *string    `json:"executionId,omitempty"`
	ID          string     `json:"id"`
	// Idempotency key for external systems; the same for every attempt of the job.
	IdempotencyKey string `json:"idempotencyKey"`
	JobType        string `json:"jobType"`
	// Error of the last failed attempt, if any.
	LastError *JobError `json:"lastError,omitempty"`
	// Expiry time of the lease unless a heartbeat renews it.
	LeaseExpiresAt time.Time `json:"leaseExpiresAt"`
	// Lease (fencing) token, required in every report. Keep it secret.
	LeaseToken string `json:"leaseToken"`
	// Maximum number of retries after a failure.
	MaxRetries int32   `json:"maxRetries"`
	NodeID     *string `json:"nodeId,omitempty"`
	// Last progress reported by an earlier attempt.
	Progress    json.RawMessage `json:"progress,omitempty"`
	Tenant      string          `json:"tenant"`
	Traceparent *string         `json:"traceparent,omitempty"`
	Workflow    *string         `json:"workflow,omitempty"`
}

// PolledJobs: The result of a poll.
type PolledJobs struct {
	// True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise.
	Drain *bool `json:"drain,omitempty"`
	// Leased jobs, in the order in which to start them; empty if none is available.
	Jobs []PolledJob `json:"jobs"`
}

// Preview: A preview of the next fires.
type Preview struct {
	// Description of the expression in words.
	Description string `json:"description"`
	// The next fire times.
	Next []string `json:"next"`
	// Effects of clock changes on these fire times.
	Notes []string `json:"notes"`
}

// PreviewRequest: A cron expression or an interval to preview.
type PreviewRequest struct {
	// First fire of the interval (default: now).
	Anchor *time.Time `json:"anchor,omitempty"`
	// Number of fires, 1 to 1000 (default 5).
	Count *int32 `json:"count,omitempty"`
	// The cron expression. Required without `every`.
	Cron *string `json:"cron,omitempty"`
	// Interval between fires, at least `10s`, instead of `cron`.
	Every *string `json:"every,omitempty"`
	// Start of the preview, exclusive (default: now).
	From *time.Time `json:"from,omitempty"`
	// IANA time zone (default `UTC`).
	Timezone *string `json:"timezone,omitempty"`
}

// Priority is the schema Priority of the API.
type Priority string

// What a Priority may be. A newer server may say something else.
const (
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = "normal"
	PriorityLow    Priority = "low"
)

// Problem: A problem document (RFC 9457).
type Problem struct {
	// Stable error code for programs.
	Code string `json:"code"`
	// Description of this occurrence.
	Detail string `json:"detail"`
	// Errors of an invalid request, each with its location.
	Errors []Fault `json:"errors,omitempty"`
	// With `execution_exists`: ID of the open execution.
	ExistingID *string `json:"existingId,omitempty"`
	// With `attribute_undeclared`: command that declares the attribute.
	Hint *string `json:"hint,omitempty"`
	// With `quota_exceeded`: value of the quota.
	Limit *int64 `json:"limit,omitempty"`
	// With `quota_exceeded`: name of the quota.
	Quota *string `json:"quota,omitempty"`
	// HTTP status code.
	Status int32 `json:"status"`
	// HTTP status text.
	Title string `json:"title"`
	// URN that ends in the code.
	Type string `json:"type"`
	// With `quota_exceeded`: current usage.
	Used *int64 `json:"used,omitempty"`
}

// Queue: A queue with the statistics of the jobs that the key can see.
type Queue struct {
	// How long the oldest queued job has been claimable; null if no job is queued.
	OldestAgeMs *int64 `json:"oldestAgeMs,omitempty"`
	// Leased by a worker.
	Processing int64 `json:"processing"`
	// Queued: ready to be claimed.
	Queued int64 `json:"queued"`
	// Waiting for a retry.
	RetryWait int64 `json:"retryWait"`
	// Waiting for their due time.
	Scheduled int64 `json:"scheduled"`
	// Parked executions.
	Waiting int64 `json:"waiting"`
	// Number of open dead letters.
	DeadLetters int64 `json:"deadLetters"`
	// Fraction of these jobs that did not complete, from 0 to 1.
	ErrorRate1m float64       `json:"errorRate1m"`
	Mode        QueueModeKind `json:"mode"`
	// Whether the queue is paused, so that no jobs start.
	Paused bool      `json:"paused"`
	Queue  QueueName `json:"queue"`
	// Run time from claimed to settled in the last minute; null if no job ended.
	RunMs *Percentiles `json:"runMs,omitempty"`
	// Number of jobs that ended in the last minute.
	Throughput1m int64 `json:"throughput1m"`
	// Statistics by priority.
	Tiers map[string]QueueCounts `json:"tiers"`
	// Wait from claimable to claimed in the last minute; null if no job ended.
	WaitMs *Percentiles `json:"waitMs,omitempty"`
}

// QueueCounts: Number of jobs of a queue by state.
type QueueCounts struct {
	// How long the oldest queued job has been claimable; null if no job is queued.
	OldestAgeMs *int64 `json:"oldestAgeMs,omitempty"`
	// Leased by a worker.
	Processing int64 `json:"processing"`
	// Queued: ready to be claimed.
	Queued int64 `json:"queued"`
	// Waiting for a retry.
	RetryWait int64 `json:"retryWait"`
	// Waiting for their due time.
	Scheduled int64 `json:"scheduled"`
	// Parked executions.
	Waiting int64 `json:"waiting"`
}

// QueueLimits: Effective limits of one queue with their sources.
type QueueLimits struct {
	// Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`.
	JobTypeRate json.RawMessage `json:"jobTypeRate,omitempty"`
	// Maximum number of concurrent jobs; null is unlimited.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// Total number of overrides; absent if there are none.
	OverrideCount *int32 `json:"overrideCount,omitempty"`
	// The values set for individual tenants, workflows and job types, at most 100. Only in `GET /v1/limits`; absent if there
	// are none.
	Overrides []OwnLimit `json:"overrides,omitempty"`
	// Starts per period; absent if there is no rate.
	Rate json.RawMessage `json:"rate,omitempty"`
	// `override`, `definition` or `default`; absent if there is no rate.
	RateSource *string `json:"rateSource,omitempty"`
	// `override`, `definition`, `default` or `settings`.
	Source string `json:"source"`
	// Limit of each tenant without its own limit. Only on `/v1/limits`.
	TenantMaxConcurrent *int32 `json:"tenantMaxConcurrent,omitempty"`
	// Rate of each tenant without its own rate. Only on `/v1/limits`.
	TenantRate   json.RawMessage `json:"tenantRate,omitempty"`
	TenantSource *string         `json:"tenantSource,omitempty"`
	// Limit of each workflow without its own limit. Only on `/v1/limits`.
	WorkflowMaxConcurrent *int32 `json:"workflowMaxConcurrent,omitempty"`
	// Rate of each workflow without its own rate. Only on `/v1/limits`.
	WorkflowRate   json.RawMessage `json:"workflowRate,omitempty"`
	WorkflowSource *string         `json:"workflowSource,omitempty"`
}

// QueueMode: The mode of a queue.
type QueueMode struct {
	Mode QueueModeKind `json:"mode"`
	// Whether the queue is paused, so that no jobs start.
	Paused bool      `json:"paused"`
	Queue  QueueName `json:"queue"`
}

// QueueModeKind is the schema QueueModeKind of the API.
type QueueModeKind string

// What a QueueModeKind may be. A newer server may say something else.
const (
	QueueModeKindRunning  QueueModeKind = "running"
	QueueModeKindPaused   QueueModeKind = "paused"
	QueueModeKindDraining QueueModeKind = "draining"
)

// QueueName is the schema QueueName of the API.
type QueueName string

// What a QueueName may be. A newer server may say something else.
const (
	QueueNameWorkflowExecution QueueName = "workflow-execution"
	QueueNameWorkflowNode      QueueName = "workflow-node"
	QueueNameWorkflowScheduled QueueName = "workflow-scheduled"
	QueueNameWorkflowWebhook   QueueName = "workflow-webhook"
)

// QueueRetention: How long finished jobs of a queue are kept.
type QueueRetention struct {
	// Cancelled jobs.
	Cancelled *string `json:"cancelled,omitempty"`
	// Completed jobs.
	Completed *string `json:"completed,omitempty"`
	// Failed jobs, and jobs of resolved dead letters.
	Failed *string `json:"failed,omitempty"`
	// Data and results; null: as long as the jobs.
	Payloads *string `json:"payloads,omitempty"`
}

// QueueRetentionRequest: Retention times of a queue to change.
type QueueRetentionRequest struct {
	Cancelled *string `json:"cancelled,omitempty"`
	Completed *string `json:"completed,omitempty"`
	Failed    *string `json:"failed,omitempty"`
	Payloads  *string `json:"payloads,omitempty"`
}

// QueueScaling: The load of a queue for autoscalers.
type QueueScaling struct {
	// Time at which the figures were read.
	AsOf time.Time `json:"asOf"`
	// Number of slots that could be busy now: `processing` + `offered` + `startable`.
	Desired int64 `json:"desired"`
	// Whether all queued jobs were counted. Otherwise `queued` and `startable` are lower bounds.
	Exact bool `json:"exact"`
	// Number of queued jobs that a limit or a concurrency key holds back.
	HeldByLimit int64 `json:"heldByLimit"`
	// Number of queued jobs without an active worker for their type.
	NoWorker int64 `json:"noWorker"`
	// Number of jobs that are offered through Kafka and that no worker has accepted.
	Offered int64 `json:"offered"`
	// How long the oldest job has been claimable; null if no job is queued.
	OldestAgeMs *int64 `json:"oldestAgeMs,omitempty"`
	// Number of jobs that workers hold.
	Processing int64     `json:"processing"`
	Queue      QueueName `json:"queue"`
	// Number of jobs that wait to be claimed.
	Queued int64 `json:"queued"`
	// Number of queued jobs that no limit or pause holds back.
	Startable int64 `json:"startable"`
	// Number of active external workers that take these jobs.
	Workers int64 `json:"workers"`
}

// ReceivedDelivery: An accepted delivery.
type ReceivedDelivery struct {
	// True for a duplicate, which starts no workflow.
	Deduplicated *bool `json:"deduplicated,omitempty"`
	// Delivery ID; for a duplicate, the ID of the first delivery.
	DeliveryID string `json:"deliveryId"`
	// `held` if the endpoint is paused or over its rate limit: the delivery is stored and matched later.
	Status *DeliveryStatus `json:"status,omitempty"`
}

// RecentFigure: A figure for the last hour and the last day, rounded up to whole minutes and hours.
type RecentFigure struct {
	// Last hour.
	In1h int64 `json:"1h"`
	// Last day.
	In24h int64 `json:"24h"`
}

// RefusedDelivery: A rejected delivery.
type RefusedDelivery struct {
	// With `quota_exceeded`: what makes room.
	Detail *string `json:"detail,omitempty"`
	// Stable code: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
	// `rate_limited`, `too_large`, `paused`, `quota_exceeded`, `unavailable`.
	Error string `json:"error"`
	// With `quota_exceeded`: the quota `deliveryBytes` of the tenant, or the setting `webhooks.stored_per_webhook` or
	// `webhooks.stored`.
	Quota *string `json:"quota,omitempty"`
}

// RegisteredWorkflow: The response to a registration.
type RegisteredWorkflow struct {
	// SHA-256 (hex) of the definition as JSON with sorted keys.
	ContentHash *string    `json:"contentHash,omitempty"`
	CreatedAt   *time.Time `json:"createdAt,omitempty"`
	// Definition. Absent in lists.
	Definition json.RawMessage `json:"definition,omitempty"`
	// `limits.maxConcurrent` of the definition.
	MaxConcurrent *int32  `json:"maxConcurrent,omitempty"`
	Name          *string `json:"name,omitempty"`
	// Policy for new executions while the workflow is paused.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
	// Whether the workflow is paused.
	Paused *bool `json:"paused,omitempty"`
	// Location of each node in the program that the version was compiled from, by node ID. Absent in lists.
	Source map[string]SourcePlace `json:"source,omitempty"`
	// Tenant that owns the workflow; absent for a shared workflow.
	Tenant  *string `json:"tenant,omitempty"`
	Version *int32  `json:"version,omitempty"`
	// Warnings. Only in the response to a registration.
	Warnings []Fault `json:"warnings,omitempty"`
	// Always true; an invalid definition returns status 422.
	Valid *bool `json:"valid,omitempty"`
}

// Release: A job to release.
type Release struct {
	// Delay before the job may run again (default: none).
	Delay      *string `json:"delay,omitempty"`
	ID         string  `json:"id"`
	LeaseToken string  `json:"leaseToken"`
}

// ReplayRequest: Options of a replay.
type ReplayRequest struct {
	// Whether triggers that have already started a workflow start it again (default false).
	AllTriggers *bool `json:"allTriggers,omitempty"`
}

// ReplayedDelivery: A replayed delivery.
type ReplayedDelivery struct {
	// The new delivery.
	DeliveryID string `json:"deliveryId"`
	// The original delivery.
	ReplayOf string `json:"replayOf"`
}

// ReprioritizeRequest: New priority.
type ReprioritizeRequest struct {
	Priority Priority `json:"priority"`
}

// RequeueRequest: Changes applied by a requeue. Absent fields keep the values of the job.
type RequeueRequest struct {
	// New payload.
	Data json.RawMessage `json:"data,omitempty"`
	// New maximum number of retries.
	MaxRetries *int32    `json:"maxRetries,omitempty"`
	Priority   *Priority `json:"priority,omitempty"`
}

// RerunRequest: Options of a rerun.
type RerunRequest struct {
	// Whether a failed rerun also compensates nodes whose results it reused (default false).
	CompensateOriginal *bool `json:"compensateOriginal,omitempty"`
	// Node to rerun from. It and all nodes after it run again; results of the others are reused.
	FromNode string `json:"fromNode"`
	// New input (default: the input of the original execution).
	Input json.RawMessage `json:"input,omitempty"`
}

// Retention: How long finished objects are kept.
type Retention struct {
	// Resolved alerts. Cannot be set for a tenant.
	Alerts *string `json:"alerts,omitempty"`
	// Requeued and archived dead letters.
	Archive *string `json:"archive,omitempty"`
	// The audit log. Cannot be set for a tenant.
	Audit *string `json:"audit,omitempty"`
	// Webhook deliveries and events.
	Deliveries *string `json:"deliveries,omitempty"`
	// Bodies of deliveries; null: as long as the deliveries.
	DeliveryBodies *string `json:"deliveryBodies,omitempty"`
	// Inputs and outputs of finished executions and their nodes; null: as long as the executions.
	ExecutionPayloads *string `json:"executionPayloads,omitempty"`
	// Finished executions with their nodes and timelines.
	Executions        *string        `json:"executions,omitempty"`
	WorkflowExecution QueueRetention `json:"workflow-execution"`
	WorkflowNode      QueueRetention `json:"workflow-node"`
	WorkflowScheduled QueueRetention `json:"workflow-scheduled"`
	WorkflowWebhook   QueueRetention `json:"workflow-webhook"`
	// The effective times: times set through the API are rounded up.
	Effective RetentionTimes `json:"effective"`
	// Where each value comes from: `settings`, `deployment` or `tenant`.
	Source RetentionTimes `json:"source"`
}

// RetentionRequest: Times to change: a duration, or null for the default.
type RetentionRequest struct {
	Alerts            *string                `json:"alerts,omitempty"`
	Archive           *string                `json:"archive,omitempty"`
	Audit             *string                `json:"audit,omitempty"`
	Deliveries        *string                `json:"deliveries,omitempty"`
	DeliveryBodies    *string                `json:"deliveryBodies,omitempty"`
	ExecutionPayloads *string                `json:"executionPayloads,omitempty"`
	Executions        *string                `json:"executions,omitempty"`
	WorkflowExecution *QueueRetentionRequest `json:"workflow-execution,omitempty"`
	WorkflowNode      *QueueRetentionRequest `json:"workflow-node,omitempty"`
	WorkflowScheduled *QueueRetentionRequest `json:"workflow-scheduled,omitempty"`
	WorkflowWebhook   *QueueRetentionRequest `json:"workflow-webhook,omitempty"`
}

// RetentionTimes: Times for each kind of object.
type RetentionTimes struct {
	// Resolved alerts. Cannot be set for a tenant.
	Alerts *string `json:"alerts,omitempty"`
	// Requeued and archived dead letters.
	Archive *string `json:"archive,omitempty"`
	// The audit log. Cannot be set for a tenant.
	Audit *string `json:"audit,omitempty"`
	// Webhook deliveries and events.
	Deliveries *string `json:"deliveries,omitempty"`
	// Bodies of deliveries; null: as long as the deliveries.
	DeliveryBodies *string `json:"deliveryBodies,omitempty"`
	// Inputs and outputs of finished executions and their nodes; null: as long as the executions.
	ExecutionPayloads *string `json:"executionPayloads,omitempty"`
	// Finished executions with their nodes and timelines.
	Executions        *string        `json:"executions,omitempty"`
	WorkflowExecution QueueRetention `json:"workflow-execution"`
	WorkflowNode      QueueRetention `json:"workflow-node"`
	WorkflowScheduled QueueRetention `json:"workflow-scheduled"`
	WorkflowWebhook   QueueRetention `json:"workflow-webhook"`
}

// Role is the schema Role of the API.
type Role string

// What a Role may be. A newer server may say something else.
const (
	RoleAdmin    Role = "admin"
	RoleOperator Role = "operator"
	RoleClient   Role = "client"
	RoleWorker   Role = "worker"
	RoleViewer   Role = "viewer"
)

// RotateSecretRequest: Options of a secret rotation.
type RotateSecretRequest struct {
	// How long the current secrets stay valid, up to 30d (default 24h).
	Overlap *string `json:"overlap,omitempty"`
	// Purpose of the secret (default `signature`).
	Purpose *WebhookSecretPurpose `json:"purpose,omitempty"`
	// New secret (default: generated, if the provider accepts any secret).
	Secret *string `json:"secret,omitempty"`
}

// RotatedSecret: An endpoint with a rotated secret.
type RotatedSecret struct {
	// The generated secret, shown only in this response.
	Secret *string `json:"secret,omitempty"`
	// The endpoint after the rotation.
	Webhook Webhook `json:"webhook"`
}

// SavedWebhook: A saved endpoint with its generated secrets.
type SavedWebhook struct {
	CreatedAt time.Time     `json:"createdAt"`
	Dedupe    WebhookDedupe `json:"dedupe"`
	// URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set.
	FullURL *string `json:"fullUrl,omitempty"`
	ID      string  `json:"id"`
	// Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set.
	LacksSecret bool `json:"lacksSecret"`
	// Configured maximum body size in bytes.
	MaxBody *int64 `json:"maxBody,omitempty"`
	// Effective maximum body size in bytes.
	MaxBodyEffective int64           `json:"maxBodyEffective"`
	Name             string          `json:"name"`
	Paused           bool            `json:"paused"`
	Provider         WebhookProvider `json:"provider"`
	// Configured URL that the sender calls.
	PublicURL   *string           `json:"publicUrl,omitempty"`
	RateLimit   *WebhookRateLimit `json:"rateLimit,omitempty"`
	RespondWith int32             `json:"respondWith"`
	Scheme      WebhookScheme     `json:"scheme"`
	// Secrets without their values. Absent in lists.
	Secrets   []WebhookSecret  `json:"secrets,omitempty"`
	Tenant    string           `json:"tenant"`
	Triggers  []WebhookTrigger `json:"triggers"`
	UpdatedAt time.Time        `json:"updatedAt"`
	// Path of the endpoint on the server.
	URL string `json:"url"`
	// Whether deliveries are verified: false for the provider `none`.
	Verified bool `json:"verified"`
	// Version, incremented by each change.
	Version int64 `json:"version"`
	// Warnings about valid but probably unintended values.
	Warnings []string `json:"warnings"`
	// The generated secret, shown only in this response.
	Secret *string `json:"secret,omitempty"`
	// The generated verify token, shown only in this response.
	VerifyToken *string `json:"verifyToken,omitempty"`
}

// Schedule: A schedule.
type Schedule struct {
	// First fire of the interval, from which all others are counted.
	Anchor        *time.Time `json:"anchor,omitempty"`
	CatchUpWindow string     `json:"catchUpWindow"`
	CreatedAt     time.Time  `json:"createdAt"`
	// Cron expression; null where the schedule fires by an interval.
	Cron *string `json:"cron,omitempty"`
	// Description of the expression in words.
	Description string     `json:"description"`
	EndAt       *time.Time `json:"endAt,omitempty"`
	// Interval between fires, in place of an expression.
	Every *string `json:"every,omitempty"`
	ID    string  `json:"id"`
	// Input. Absent in lists.
	Input   json.RawMessage `json:"input,omitempty"`
	Jitter  string          `json:"jitter"`
	Misfire Misfire         `json:"misfire"`
	Name    string          `json:"name"`
	// The next fire time; null while the schedule is paused or after its last fire.
	NextRunAt *time.Time `json:"nextRunAt,omitempty"`
	Overlap   Overlap    `json:"overlap"`
	Paused    bool       `json:"paused"`
	Priority  Priority   `json:"priority"`
	StartAt   *time.Time `json:"startAt,omitempty"`
	Tenant    string     `json:"tenant"`
	Timezone  string     `json:"timezone"`
	UpdatedAt time.Time  `json:"updatedAt"`
	// Warnings about valid but probably unintended values.
	Warnings []string `json:"warnings"`
	Workflow string   `json:"workflow"`
}

// ScheduleRequest: A schedule to save.
type ScheduleRequest struct {
	// First fire of the interval, from which all others are counted (default: the creation of the schedule).
	Anchor *time.Time `json:"anchor,omitempty"`
	// Maximum age of a missed fire that still runs (default `24h`).
	CatchUpWindow *string `json:"catchUpWindow,omitempty"`
	// Cron expression: minute, hour, day of month, month, day of week; or an alias such as `@daily`. Required without
	// `every`.
	Cron *string `json:"cron,omitempty"`
	// Last instant at which the schedule may fire.
	EndAt *time.Time `json:"endAt,omitempty"`
	// Interval between fires, at least `10s`, instead of `cron`.
	Every *string `json:"every,omitempty"`
	// Execution input, validated against the workflow's schema (default: an empty object).
	Input json.RawMessage `json:"input,omitempty"`
	// Maximum jitter of the start time; constant for each schedule.
	Jitter *string `json:"jitter,omitempty"`
	// Policy for missed fires (default `latest`).
	Misfire *Misfire `json:"misfire,omitempty"`
	// Unique within the tenant.
	Name string `json:"name"`
	// Policy while a previous execution still runs (default `skip`).
	Overlap *Overlap `json:"overlap,omitempty"`
	// Whether the schedule is paused (default: false for a new one, unchanged for an existing one).
	Paused *bool `json:"paused,omitempty"`
	// Priority (default `normal`).
	Priority *Priority `json:"priority,omitempty"`
	// First instant at which the schedule may fire.
	StartAt *time.Time `json:"startAt,omitempty"`
	// Tenant (default: the key's tenant, or `default`). It cannot change later.
	Tenant *string `json:"tenant,omitempty"`
	// IANA time zone of the expression (default `UTC`).
	Timezone *string `json:"timezone,omitempty"`
	// Workflow to start, in its latest version at each fire.
	Workflow string `json:"workflow"`
}

// ScheduleRun: A fire in the history of a schedule.
type ScheduleRun struct {
	// Execution that the fire started.
	ExecutionID *string `json:"executionId,omitempty"`
	// When it was fired, queued, or skipped.
	FiredAt time.Time `json:"firedAt"`
	// Delay relative to the scheduled time.
	LateMs int64      `json:"lateMs"`
	Reason FireReason `json:"reason"`
	// Scheduled time of the fire.
	ScheduledFor time.Time `json:"scheduledFor"`
	// Reason for skipping the fire: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`,
	// `changed`, …
	SkipReason *string    `json:"skipReason,omitempty"`
	Status     SlotStatus `json:"status"`
}

// Secret: A secret without its value.
type Secret struct {
	CreatedAt time.Time `json:"createdAt"`
	// Hosts that may receive the secret.
	Hosts []string `json:"hosts"`
	Name  string   `json:"name"`
	// Source of the value: `store`, `environment`, `file` or `vault`.
	Provider string `json:"provider"`
	// Name of the environment variable or file, or path in the secret manager.
	Reference *string `json:"reference,omitempty"`
	Tenant    string  `json:"tenant"`
	// When its value, source or hosts last changed.
	UpdatedAt time.Time `json:"updatedAt"`
}

// SecretRequest: A secret to store. One of `value`, `environment`, `file` and `vault`.
type SecretRequest struct {
	// Environment variable of the server, `TRUNKLINE_SECRET_…`. For keys that are not bound to a tenant.
	Environment *string `json:"environment,omitempty"`
	// File in the directory `secrets.directory`. For keys that are not bound to a tenant.
	File *string `json:"file,omitempty"`
	// Hosts that may receive the secret: names, `*.example.com` or addresses.
	Hosts []string `json:"hosts"`
	// The value, encrypted at rest and never shown again.
	Value *string `json:"value,omitempty"`
	// Path and field in the secret manager of the settings, such as `apps/stripe#token`. For keys that are not bound to a
	// tenant.
	Vault *string `json:"vault,omitempty"`
}

// SentEvent: An event that was sent.
type SentEvent struct {
	// True for a duplicate; absent otherwise.
	Deduplicated *bool `json:"deduplicated,omitempty"`
	// The delivery that stores the event; for a duplicate, the first one.
	DeliveryID string `json:"deliveryId"`
}

// SentEvents: Events that were sent, in order.
type SentEvents struct {
	// One result for each event, in order.
	Results []SentEvent `json:"results"`
}

// Server: A process of the deployment.
type Server struct {
	// How far the clock of its machine is ahead of the database's, in milliseconds.
	ClockOffsetMs int64     `json:"clockOffsetMs"`
	ID            string    `json:"id"`
	LastSeenAt    time.Time `json:"lastSeenAt"`
	Roles         []string  `json:"roles"`
	StartedAt     time.Time `json:"startedAt"`
	Version       string    `json:"version"`
}

// Session: The current caller.
type Session struct {
	// API key ID, `oidc:` and the subject of a token, or `loopback` for a local caller while no keys exist.
	Actor string `json:"actor"`
	// CSRF token that mutating requests send in `X-CSRF-Token`. Only for sessions.
	CsrfToken *string `json:"csrfToken,omitempty"`
	// Expiry time of the session. Only for sessions.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// Role of the caller.
	Role Role `json:"role"`
	// Tenant that the caller is bound to.
	Tenant *string `json:"tenant,omitempty"`
}

// SignalRequest: A signal.
type SignalRequest struct {
	// Payload (default null). It becomes the output of the node that receives the signal.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Silence: A silence.
type Silence struct {
	CreatedAt time.Time `json:"createdAt"`
	// Who created it.
	CreatedBy string            `json:"createdBy"`
	ID        string            `json:"id"`
	Labels    map[string]string `json:"labels"`
	Reason    string            `json:"reason"`
	Rule      *string           `json:"rule,omitempty"`
	Until     time.Time         `json:"until"`
}

// SilenceRequest: A silence.
type SilenceRequest struct {
	// Duration, such as `"2h"`. One of `for` and `until`.
	For *string `json:"for,omitempty"`
	// Only alerts with these labels.
	Labels map[string]string `json:"labels,omitempty"`
	// Reason, shown with the silence.
	Reason string `json:"reason"`
	// Only alerts of this rule.
	Rule *string `json:"rule,omitempty"`
	// End of the silence.
	Until *time.Time `json:"until,omitempty"`
}

// SimulatedEvent: A timeline entry of a simulated execution.
type SimulatedEvent struct {
	At time.Time `json:"at"`
	// Additional message.
	Detail *string `json:"detail,omitempty"`
	// Stable code of the event.
	Kind   TimelineEventKind `json:"kind"`
	NodeID *string           `json:"nodeId,omitempty"`
}

// SimulatedNode: A round of a node of a simulated execution.
type SimulatedNode struct {
	Error      *JobError  `json:"error,omitempty"`
	FinishedAt *time.Time `json:"finishedAt,omitempty"`
	// Input that its handler, child execution or person receives.
	Input json.RawMessage `json:"input,omitempty"`
	// Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify[17]`.
	NodeID string          `json:"nodeId"`
	Output json.RawMessage `json:"output,omitempty"`
	// Number of times that the node had been started.
	Round     int32      `json:"round"`
	StartedAt *time.Time `json:"startedAt,omitempty"`
	Status    NodeStatus `json:"status"`
}

// SimulatedWait: Something that a simulated execution waits for.
type SimulatedWait struct {
	// `result`, `child`, `signal`, `user_task`, `callback` or `event`.
	Awaits string `json:"awaits"`
	// Node ID; provide its result under this key.
	NodeID string `json:"nodeId"`
	// Name of the signal.
	Signal *string `json:"signal,omitempty"`
}

// Simulation: The state in which a simulated execution ended or waits.
type Simulation struct {
	// Why it failed, if it did.
	Error *ExecutionError `json:"error,omitempty"`
	// Each round of each node: first rounds that ended, in order, then rounds that wait or never started.
	Nodes []SimulatedNode `json:"nodes"`
	// The simulated time at that point.
	Now time.Time `json:"now"`
	// Output, if it completed.
	Output json.RawMessage `json:"output,omitempty"`
	// Status of the execution: `COMPLETED`, `FAILED` or `CANCELLED`; `RUNNING` or `COMPENSATING` if it waits.
	Status ExecutionStatus `json:"status"`
	// The timeline.
	Timeline []SimulatedEvent `json:"timeline"`
	// What it waits for; empty if it ended.
	WaitingFor []SimulatedWait `json:"waitingFor"`
}

// SimulationRequest: A simulation: a definition or a registered workflow, and what its nodes return.
type SimulationRequest struct {
	// The definition: an object, or its YAML as a string. It need not be registered.
	Definition json.RawMessage `json:"definition,omitempty"`
	// Events to deliver. An event ends the wait of every node that it matches.
	Events []MockEvent `json:"events,omitempty"`
	// Input, validated against the workflow's schema (default: an empty object).
	Input json.RawMessage `json:"input,omitempty"`
	// Start time of the run (default: now).
	Now *time.Time `json:"now,omitempty"`
	// Results by node ID, one for each round of the node, in order. Results of a `MAP` apply to its items; a single
	// item is `notify[3]`, a compensation is `charge:compensate`.
	Results map[string][]MockResult `json:"results,omitempty"`
	// Signals to send.
	Signals []MockSignal `json:"signals,omitempty"`
	// Tenant of the registered workflow (default: the key's tenant, or `default`).
	Tenant *string `json:"tenant,omitempty"`
	// Version of the registered workflow (default: the latest).
	Version *int32 `json:"version,omitempty"`
	// Name of a registered workflow, instead of a definition.
	Workflow *string `json:"workflow,omitempty"`
}

// SlotStatus is the schema SlotStatus of the API.
type SlotStatus string

// What a SlotStatus may be. A newer server may say something else.
const (
	SlotStatusFired   SlotStatus = "fired"
	SlotStatusWaiting SlotStatus = "waiting"
	SlotStatusSkipped SlotStatus = "skipped"
)

// SourcePlace: The location of a node in a program.
type SourcePlace struct {
	// Column, from 1.
	Column *int32 `json:"column,omitempty"`
	// Path of the file.
	File string `json:"file"`
	// Line, from 1.
	Line int32 `json:"line"`
}

// SourceRequest: Source places of a version.
type SourceRequest struct {
	// Places by node ID.
	Nodes map[string]SourcePlace `json:"nodes"`
}

// StartSignal: A signal to send with the start of an execution.
type StartSignal struct {
	// Signal name.
	Name string `json:"name"`
	// Payload (default: null).
	Payload json.RawMessage `json:"payload,omitempty"`
}

// StatPoint: The figures for one minute or one hour. Durations are in milliseconds, interpolated within histogram buckets.
type StatPoint struct {
	// Start of the minute or hour.
	At time.Time `json:"at"`
	// Attempts that started.
	Claimed int64 `json:"claimed"`
	// Jobs that completed.
	Completed int64 `json:"completed"`
	// Jobs that became dead letters.
	DeadLettered int64 `json:"deadLettered"`
	// Median time of jobs (with `queue=workflow-execution`: of executions) from creation to end; null if none ended.
	EndToEndP50 *int64 `json:"endToEndP50,omitempty"`
	EndToEndP95 *int64 `json:"endToEndP95,omitempty"`
	EndToEndP99 *int64 `json:"endToEndP99,omitempty"`
	// Jobs that were enqueued.
	Enqueued int64 `json:"enqueued"`
	// Attempts that failed, including final ones.
	Failed int64 `json:"failed"`
	// Age of the oldest queued job at the last count.
	OldestAgeMs int64 `json:"oldestAgeMs"`
	// Leased jobs at the last count.
	Processing int64 `json:"processing"`
	// Queued jobs at the last count.
	Queued int64 `json:"queued"`
	// Median run time of attempts; null if none ended. An attempt of an execution ends when the execution is parked or ends.
	RunP50 *int64 `json:"runP50,omitempty"`
	RunP95 *int64 `json:"runP95,omitempty"`
	RunP99 *int64 `json:"runP99,omitempty"`
	// Median wait from claimable to claimed; null if no job was claimed.
	WaitP50 *int64 `json:"waitP50,omitempty"`
	WaitP95 *int64 `json:"waitP95,omitempty"`
	WaitP99 *int64 `json:"waitP99,omitempty"`
}

// Stats: Queue figures over time.
type Stats struct {
	// One point per minute or hour, oldest first.
	Series []StatPoint `json:"series"`
	// `1m` or `1h`.
	Step string `json:"step"`
}

// StoredLogLine: A stored log line.
type StoredLogLine struct {
	At time.Time `json:"at"`
	// The attempt, from 1.
	Attempt int32 `json:"attempt"`
	// Structured fields: an object. Absent for callers that may not see payloads.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
	JobID  string                     `json:"jobId"`
	Level  LogLevel                   `json:"level"`
	// Number of the line in its attempt, from 1.
	Line int32 `json:"line"`
	// Absent for callers that may not see payloads.
	Message *string `json:"message,omitempty"`
	NodeID  *string `json:"nodeId,omitempty"`
}

// Suggestion: A completion.
type Suggestion struct {
	// How often it occurred recently.
	Count  *int64  `json:"count,omitempty"`
	Detail *string `json:"detail,omitempty"`
	// `key` or `value`.
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Suggestions: Completions for a part of a query.
type Suggestions struct {
	// Start of the replaced part, in characters from 0.
	From  int32        `json:"from"`
	Items []Suggestion `json:"items"`
	// End of the replaced part, exclusive.
	To int32 `json:"to"`
}

// Tenant: A tenant.
type Tenant struct {
	// When it was first used. Absent in the response to its creation.
	CreatedAt *time.Time `json:"createdAt,omitempty"`
	Name      string     `json:"name"`
}

// TenantEncryption: The encryption of a tenant.
type TenantEncryption struct {
	// Whether payloads are encrypted from now on. Payloads that are already stored do not change.
	Enabled bool `json:"enabled"`
	// Keys of the tenant, newest first.
	Keys []PayloadKey `json:"keys"`
}

// TenantErasure: A tenant to erase.
type TenantErasure struct {
	// Whether unfinished jobs and executions are cancelled, without compensation (default false).
	CancelOpen *bool `json:"cancelOpen,omitempty"`
	// The name of the tenant, repeated as a confirmation.
	Confirm string `json:"confirm"`
}

// TenantQuotas: The effective quotas.
type TenantQuotas struct {
	APIKeys         *int64 `json:"apiKeys,omitempty"`
	DefinitionBytes *int64 `json:"definitionBytes,omitempty"`
	DeliveryBytes   *int64 `json:"deliveryBytes,omitempty"`
	HistoryRows     *int64 `json:"historyRows,omitempty"`
	// Quota of each API key.
	IdempotencyKeys   *int64 `json:"idempotencyKeys,omitempty"`
	LogBytes          *int64 `json:"logBytes,omitempty"`
	OpenExecutions    *int64 `json:"openExecutions,omitempty"`
	OpenJobs          *int64 `json:"openJobs,omitempty"`
	PayloadBytes      *int64 `json:"payloadBytes,omitempty"`
	Schedules         *int64 `json:"schedules,omitempty"`
	WaitingStartBytes *int64 `json:"waitingStartBytes,omitempty"`
	Webhooks          *int64 `json:"webhooks,omitempty"`
	WorkflowVersions  *int64 `json:"workflowVersions,omitempty"`
}

// TenantQuotasRequest: Quotas to change: a number, `"unlimited"`, or null for the default.
type TenantQuotasRequest struct {
	// API keys, at most 1,000,000.
	APIKeys json.RawMessage `json:"apiKeys,omitempty"`
	// Bytes of workflow versions, schedule inputs and webhook configurations.
	DefinitionBytes json.RawMessage `json:"definitionBytes,omitempty"`
	// Bytes of deliveries that are kept.
	DeliveryBytes json.RawMessage `json:"deliveryBytes,omitempty"`
	// Rows of history that are kept.
	HistoryRows json.RawMessage `json:"historyRows,omitempty"`
	// Idempotency keys of each API key.
	IdempotencyKeys json.RawMessage `json:"idempotencyKeys,omitempty"`
	// Bytes of stored log lines of jobs.
	LogBytes json.RawMessage `json:"logBytes,omitempty"`
	// Executions that have not ended.
	OpenExecutions json.RawMessage `json:"openExecutions,omitempty"`
	// Jobs that have not ended.
	OpenJobs json.RawMessage `json:"openJobs,omitempty"`
	// Bytes of payloads that are kept.
	PayloadBytes json.RawMessage `json:"payloadBytes,omitempty"`
	// Schedules, at most 1,000,000.
	Schedules json.RawMessage `json:"schedules,omitempty"`
	// Bytes of waiting starts of triggers.
	WaitingStartBytes json.RawMessage `json:"waitingStartBytes,omitempty"`
	// Webhooks, at most 1,000,000.
	Webhooks json.RawMessage `json:"webhooks,omitempty"`
	// Workflow versions, at most 1,000,000.
	WorkflowVersions json.RawMessage `json:"workflowVersions,omitempty"`
}

// TenantRequest: A tenant to create.
type TenantRequest struct {
	// The name, unique.
	Name string `json:"name"`
}

// TenantUsage: The usage of a tenant.
type TenantUsage struct {
	// API keys that are bound to the tenant, including revoked ones.
	APIKeys UsageFigure `json:"apiKeys"`
	// When the usage was counted. A large `historyRows` is counted again after at most a minute.
	AsOf time.Time `json:"asOf"`
	// Bytes of workflow versions, schedule inputs and webhook configurations.
	DefinitionBytes UsageFigure `json:"definitionBytes"`
	// Bytes of stored webhook deliveries: each counts its body plus 4 KiB.
	DeliveryBytes UsageFigure `json:"deliveryBytes"`
	// Finished jobs and executions within their retention.
	HistoryRows UsageFigure `json:"historyRows"`
	// Responses stored for idempotency keys.
	IdempotencyKeys UsageFigure `json:"idempotencyKeys"`
	// Bytes of stored log lines of jobs: each counts its message, its fields and 128 bytes.
	LogBytes UsageFigure `json:"logBytes"`
	// Unfinished executions.
	OpenExecutions UsageFigure `json:"openExecutions"`
	// Unfinished jobs.
	OpenJobs UsageFigure `json:"openJobs"`
	// Bytes of payloads of unfinished jobs and inputs of unfinished executions.
	PayloadBytes UsageFigure `json:"payloadBytes"`
	// Schedules.
	Schedules UsageFigure `json:"schedules"`
	// Starts of jobs on `workflow-node`, retries included.
	Starts RecentFigure `json:"starts"`
	Tenant string       `json:"tenant"`
	// Bytes of waiting starts of triggers: inputs and gathered events, and 1 KiB for each start.
	WaitingStartBytes UsageFigure `json:"waitingStartBytes"`
	// Webhooks.
	Webhooks UsageFigure `json:"webhooks"`
	// Seconds that attempts of jobs on `workflow-node` ran, by when they ended.
	WorkerSeconds RecentFigure `json:"workerSeconds"`
	// Workflow versions of the tenant, without shared workflows.
	WorkflowVersions UsageFigure `json:"workflowVersions"`
}

// TestedWebhook: A test delivery.
type TestedWebhook struct {
	DeliveryID string `json:"deliveryId"`
	// Event type of the test delivery.
	EventType *string `json:"eventType,omitempty"`
}

// Throttle: Limits the number of starts in any period. Further starts are delayed.
type Throttle struct {
	// Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger).
	Key *string `json:"key,omitempty"`
	// Starts per period.
	Rate json.RawMessage `json:"rate"`
}

// TimeMoveRequest: A change of the time of a development server.
type TimeMoveRequest struct {
	// How far to advance the time, through all timers, retries and schedules in between.
	Advance *string `json:"advance,omitempty"`
	// Whether time skips forward automatically from now on.
	Skip *bool `json:"skip,omitempty"`
}

// TimelineEvent: A timeline entry of an execution.
type TimelineEvent struct {
	At time.Time `json:"at"`
	// Additional message.
	Detail *string `json:"detail,omitempty"`
	// Stable code of the event.
	Kind     TimelineEventKind `json:"kind"`
	NodeID   *string           `json:"nodeId,omitempty"`
	Position int64             `json:"position"`
}

// TimelineEventKind is the schema TimelineEventKind of the API.
type TimelineEventKind string

// What a TimelineEventKind may be. A newer server may say something else.
const (
	TimelineEventKindExecutionStarted      TimelineEventKind = "execution_started"
	TimelineEventKindExecutionRetried      TimelineEventKind = "execution_retried"
	TimelineEventKindExecutionCompensating TimelineEventKind = "execution_compensating"
	TimelineEventKindExecutionCompleted    TimelineEventKind = "execution_completed"
	TimelineEventKindExecutionFailed       TimelineEventKind = "execution_failed"
	TimelineEventKindExecutionCancelled    TimelineEventKind = "execution_cancelled"
	TimelineEventKindNodeStarted           TimelineEventKind = "node_started"
	TimelineEventKindNodeWaiting           TimelineEventKind = "node_waiting"
	TimelineEventKindNodeRepeated          TimelineEventKind = "node_repeated"
	TimelineEventKindNodeRequeued          TimelineEventKind = "node_requeued"
	TimelineEventKindNodeCompleted         TimelineEventKind = "node_completed"
	TimelineEventKindNodeSkipped           TimelineEventKind = "node_skipped"
	TimelineEventKindNodeFailed            TimelineEventKind = "node_failed"
	TimelineEventKindNodeChildFailed       TimelineEventKind = "node_child_failed"
	TimelineEventKindNodeCancelled         TimelineEventKind = "node_cancelled"
	TimelineEventKindNodeCompensated       TimelineEventKind = "node_compensated"
	TimelineEventKindCompensationFailed    TimelineEventKind = "compensation_failed"
	TimelineEventKindSignalReceived        TimelineEventKind = "signal_received"
	TimelineEventKindUserTaskEscalated     TimelineEventKind = "user_task_escalated"
)

// Trigger: What started an execution.
type Trigger struct {
	// `user`, `schedule`, `webhook`, `event` or `parent`.
	Kind string `json:"kind"`
}

// UniquePolicy is the schema UniquePolicy of the API.
type UniquePolicy string

// What a UniquePolicy may be. A newer server may say something else.
const (
	UniquePolicyJoin    UniquePolicy = "join"
	UniquePolicyReject  UniquePolicy = "reject"
	UniquePolicyReplace UniquePolicy = "replace"
	UniquePolicyQueue   UniquePolicy = "queue"
)

// UsageFigure: Usage and quota of a resource.
type UsageFigure struct {
	// False while a large `historyRows` is still being counted, and if `logBytes` takes long to count: `used` is a lower
	// bound then.
	Exact bool `json:"exact"`
	// Quota; null is unlimited. For idempotency keys, the quota applies to each API key.
	Quota *int64 `json:"quota,omitempty"`
	// Current usage.
	Used int64 `json:"used"`
}

// UserTask: A user task.
type UserTask struct {
	// Assignee.
	Assignee *string `json:"assignee,omitempty"`
	// When it was claimed.
	ClaimedAt *time.Time `json:"claimedAt,omitempty"`
	// User who has claimed the task, or the ID of an API key without a user.
	ClaimedBy *string `json:"claimedBy,omitempty"`
	// When the task was closed.
	ClosedAt *time.Time `json:"closedAt,omitempty"`
	// ID of the API key that completed the task.
	CompletedBy *string `json:"completedBy,omitempty"`
	// Due time.
	DueAt *time.Time `json:"dueAt,omitempty"`
	// When the task was escalated.
	EscalatedAt *time.Time `json:"escalatedAt,omitempty"`
	ExecutionID string     `json:"executionId"`
	// JSON Schema of the output.
	Form json.RawMessage `json:"form,omitempty"`
	// Candidate group.
	Group *string `json:"group,omitempty"`
	// Input of the task, shown to the user. Lists omit inputs above 4 KiB; read the task instead.
	Input  json.RawMessage `json:"input,omitempty"`
	NodeID string          `json:"nodeId"`
	// The input, if it is larger than `maxPayload` and therefore null here.
	Omitted  []OmittedPayload `json:"omitted,omitempty"`
	OpenedAt time.Time        `json:"openedAt"`
	// Round of the node, from 1; a retry or a `repeat` creates a new task.
	Round    int32          `json:"round"`
	Status   UserTaskStatus `json:"status"`
	Tenant   string         `json:"tenant"`
	Workflow string         `json:"workflow"`
}

// UserTaskCompletion: The output of a user task.
type UserTaskCompletion struct {
	// Validated against the task's form (default null). It becomes the output of the node.
	Output json.RawMessage `json:"output,omitempty"`
	// Round of the node (default: the latest).
	Round *int32 `json:"round,omitempty"`
}

// UserTaskRound: Round of a user task.
type UserTaskRound struct {
	// Round of the node (default: the latest).
	Round *int32 `json:"round,omitempty"`
}

// UserTaskStatus is the schema UserTaskStatus of the API.
type UserTaskStatus string

// What a UserTaskStatus may be. A newer server may say something else.
const (
	UserTaskStatusOpen      UserTaskStatus = "open"
	UserTaskStatusCompleted UserTaskStatus = "completed"
	UserTaskStatusTimedOut  UserTaskStatus = "timed_out"
	UserTaskStatusCancelled UserTaskStatus = "cancelled"
)

// ValidatedWorkflow: A valid definition that was not registered.
type ValidatedWorkflow struct {
	// SHA-256 (hex) of the definition as JSON with sorted keys.
	ContentHash string `json:"contentHash"`
	Name        string `json:"name"`
	// Always true; an invalid definition returns status 422.
	Valid   bool  `json:"valid"`
	Version int32 `json:"version"`
	// Warnings.
	Warnings []Fault `json:"warnings,omitempty"`
}

// View: A saved view of a list.
type View struct {
	Columns   []string  `json:"columns"`
	CreatedAt time.Time `json:"createdAt"`
	ID        string    `json:"id"`
	List      string    `json:"list"`
	Name      string    `json:"name"`
	Order     *string   `json:"order,omitempty"`
	// Whether the caller saved it.
	Own bool `json:"own"`
	// Who saved it.
	Owner     string    `json:"owner"`
	Q         string    `json:"q"`
	Shared    bool      `json:"shared"`
	Sort      *string   `json:"sort,omitempty"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// ViewRequest: A view to save.
type ViewRequest struct {
	// Columns, in order; at most 50.
	Columns []string `json:"columns,omitempty"`
	// The list, as in its path, such as `jobs`.
	List string `json:"list"`
	// Name, up to 100 characters.
	Name string `json:"name"`
	// `asc` or `desc`.
	Order *string `json:"order,omitempty"`
	// Query (default: everything).
	Q *string `json:"q,omitempty"`
	// Whether the view is visible to others who can see the same data.
	Shared *bool `json:"shared,omitempty"`
	// Instant to sort by.
	Sort *string `json:"sort,omitempty"`
}

// Webhook: A webhook endpoint.
type Webhook struct {
	CreatedAt time.Time     `json:"createdAt"`
	Dedupe    WebhookDedupe `json:"dedupe"`
	// URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set.
	FullURL *string `json:"fullUrl,omitempty"`
	ID      string  `json:"id"`
	// Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set.
	LacksSecret bool `json:"lacksSecret"`
	// Configured maximum body size in bytes.
	MaxBody *int64 `json:"maxBody,omitempty"`
	// Effective maximum body size in bytes.
	MaxBodyEffective int64           `json:"maxBodyEffective"`
	Name             string          `json:"name"`
	Paused           bool            `json:"paused"`
	Provider         WebhookProvider `json:"provider"`
	// Configured URL that the sender calls.
	PublicURL   *string           `json:"publicUrl,omitempty"`
	RateLimit   *WebhookRateLimit `json:"rateLimit,omitempty"`
	RespondWith int32             `json:"respondWith"`
	Scheme      WebhookScheme     `json:"scheme"`
	// Secrets without their values. Absent in lists.
	Secrets   []WebhookSecret  `json:"secrets,omitempty"`
	Tenant    string           `json:"tenant"`
	Triggers  []WebhookTrigger `json:"triggers"`
	UpdatedAt time.Time        `json:"updatedAt"`
	// Path of the endpoint on the server.
	URL string `json:"url"`
	// Whether deliveries are verified: false for the provider `none`.
	Verified bool `json:"verified"`
	// Version, incremented by each change.
	Version int64 `json:"version"`
	// Warnings about valid but probably unintended values.
	Warnings []string `json:"warnings"`
}

// WebhookDedupe: Deduplication of deliveries.
type WebhookDedupe struct {
	// Deduplication key (default `auto`: the provider's ID if it is signed, else its ID with the body, else the body).
	On json.RawMessage `json:"on,omitempty"`
	// Deduplication window, 1m to 30d (default: the provider's retry period, at least 24h).
	Window *string `json:"window,omitempty"`
}

// WebhookProvider is the schema WebhookProvider of the API.
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

// WebhookRateLimit: A rate limit.
type WebhookRateLimit struct {
	// Burst size (default: `requests`).
	Burst *int32 `json:"burst,omitempty"`
	// Time window.
	Per string `json:"per"`
	// Number of requests.
	Requests int32 `json:"requests"`
}

// WebhookRequest: An endpoint to save.
type WebhookRequest struct {
	// Deduplication of deliveries.
	Dedupe *WebhookDedupe `json:"dedupe,omitempty"`
	// Maximum body size, up to 25MiB: bytes, or text such as `1MiB` (default: the server's setting).
	MaxBody *string `json:"maxBody,omitempty"`
	// Unique within the tenant.
	Name string `json:"name"`
	// Whether the endpoint is paused (default: false for a new one, unchanged for an existing one).
	Paused *bool `json:"paused,omitempty"`
	// Provider. `none` verifies nothing.
	Provider WebhookProvider `json:"provider"`
	// Exact URL that the sender calls. Required if the provider signs the URL.
	PublicURL *string `json:"publicUrl,omitempty"`
	// Rate limit. Excess requests are held up to a server limit; beyond it they get 429.
	RateLimit *WebhookRateLimit `json:"rateLimit,omitempty"`
	// Status code of responses to accepted deliveries: 200, 202 (default) or 204.
	RespondWith *int32 `json:"respondWith,omitempty"`
	// Signature scheme, if it differs from the provider's default.
	Scheme *WebhookScheme `json:"scheme,omitempty"`
	// Signing secrets, or public keys of the provider. Never shown again. Default: a generated secret for a new
	// endpoint whose provider accepts any secret; unchanged for an existing one.
	Secrets []string `json:"secrets,omitempty"`
	// Tenant (default: the key's tenant, or `default`). It cannot change later.
	Tenant *string `json:"tenant,omitempty"`
	// Triggers that start workflows.
	Triggers []WebhookTrigger `json:"triggers,omitempty"`
	// Verify token of Meta subscriptions. Never shown again.
	VerifyToken *string `json:"verifyToken,omitempty"`
	// Expected current version of the endpoint; the update is rejected if it differs. Not allowed for a new endpoint.
	Version *int64 `json:"version,omitempty"`
}

// WebhookScheme: How requests are signed. The provider `hmac` supports all fields and requires `header`; other providers support only `tolerance` and `eventType`.
type WebhookScheme struct {
	// HMAC algorithm (default `sha256`).
	Algorithm *string `json:"algorithm,omitempty"`
	// Encoding of the signature (default `hex`).
	Encoding *string `json:"encoding,omitempty"`
	// Location of the event type: `header:<name>` or `field:<JSON pointer>`.
	EventType *string `json:"eventType,omitempty"`
	// Header that contains the signature.
	Header *string `json:"header,omitempty"`
	// Header that contains the signed ID.
	IDHeader *string `json:"idHeader,omitempty"`
	// Separator of multiple signatures.
	ListSeparator *string `json:"listSeparator,omitempty"`
	// Prefix of each signature, such as `sha256=`.
	Prefix *string `json:"prefix,omitempty"`
	// Encoding of the secret (default `text`).
	SecretEncoding *string `json:"secretEncoding,omitempty"`
	// Template of the signed content over {id}, {timestamp}, {url}, {method} and {body} (default `{body}`).
	SignedContent *string `json:"signedContent,omitempty"`
	// Header that contains the signed timestamp.
	TimestampHeader *string `json:"timestampHeader,omitempty"`
	// Prefix of the signed timestamp in the signature header, such as `t=`.
	TimestampItem *string `json:"timestampItem,omitempty"`
	// Unit of the timestamp (default `s`).
	TimestampUnit *string `json:"timestampUnit,omitempty"`
	// Maximum clock difference of the signed timestamp, 1s to 24h (default 5m).
	Tolerance *string `json:"tolerance,omitempty"`
}

// WebhookSecret: A secret of an endpoint, without its value.
type WebhookSecret struct {
	CreatedAt time.Time `json:"createdAt"`
	// Expiry time; absent for the current secret.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	ID        string     `json:"id"`
	// Whether the server has the encryption key of the secret.
	Openable bool                 `json:"openable"`
	Purpose  WebhookSecretPurpose `json:"purpose"`
}

// WebhookSecretPurpose is the schema WebhookSecretPurpose of the API.
type WebhookSecretPurpose string

// What a WebhookSecretPurpose may be. A newer server may say something else.
const (
	WebhookSecretPurposeSignature   WebhookSecretPurpose = "signature"
	WebhookSecretPurposeVerifyToken WebhookSecretPurpose = "verifyToken"
)

// WebhookTrigger: A trigger that starts a workflow.
type WebhookTrigger struct {
	// Starts one execution for several events. In `input`, only `batch` is in scope:
	// a list of `{event, body, delivery}`.
	Batch *BatchOfEvents `json:"batch,omitempty"`
	// Starts one execution with the input of the last event, after a period without events.
	Debounce *Debounce `json:"debounce,omitempty"`
	// Event types to match, such as `push` or `issue.*` (default: all).
	Events []string `json:"events,omitempty"`
	// CEL condition over `body`, `headers`, `event`, `query` and `delivery`.
	Filter *string `json:"filter,omitempty"`
	// Trigger ID, unique within the endpoint (default: derived from the workflow name).
	ID *string `json:"id,omitempty"`
	// Execution input, with `${…}` expressions in strings (default: the body).
	Input json.RawMessage `json:"input,omitempty"`
	// Priority (default `high`).
	Priority *Priority `json:"priority,omitempty"`
	// Limits the number of starts in any period. Further starts are delayed.
	Throttle *Throttle `json:"throttle,omitempty"`
	// Workflow version (default: the latest).
	Version *int32 `json:"version,omitempty"`
	// Workflow to start.
	Workflow string `json:"workflow"`
}

// Why: Why a job is not running.
type Why struct {
	// Earliest instant at which the rate can admit the job: a lower bound.
	CanStartAt *time.Time `json:"canStartAt,omitempty"`
	// Explanation.
	Detail string `json:"detail"`
	// What allows the job to run.
	FreesWhen *string `json:"freesWhen,omitempty"`
	// Jobs that use the limit, at most ten.
	Holders []string `json:"holders,omitempty"`
	// The exhausted limit.
	Limit *int32 `json:"limit,omitempty"`
	// Number of jobs ahead in the same lane.
	Rank *int64 `json:"rank,omitempty"`
	// The rate that the job waits for.
	Rate   json.RawMessage `json:"rate,omitempty"`
	Reason WhyReason       `json:"reason"`
	// Current usage of the limit.
	Running *int32 `json:"running,omitempty"`
}

// WhyReason is the schema WhyReason of the API.
type WhyReason string

// What a WhyReason may be. A newer server may say something else.
const (
	WhyReasonNotDue             WhyReason = "not_due"
	WhyReasonQueuePaused        WhyReason = "queue_paused"
	WhyReasonUniqueKey          WhyReason = "unique_key"
	WhyReasonLimitGlobal        WhyReason = "limit_global"
	WhyReasonLimitTenant        WhyReason = "limit_tenant"
	WhyReasonLimitWorkflow      WhyReason = "limit_workflow"
	WhyReasonLimitJobType       WhyReason = "limit_job_type"
	WhyReasonLimitTenantJobType WhyReason = "limit_tenant_job_type"
	WhyReasonLimitRateKey       WhyReason = "limit_rate_key"
	WhyReasonLimitKey           WhyReason = "limit_key"
	WhyReasonRateGlobal         WhyReason = "rate_global"
	WhyReasonRateTenant         WhyReason = "rate_tenant"
	WhyReasonRateWorkflow       WhyReason = "rate_workflow"
	WhyReasonRateJobType        WhyReason = "rate_job_type"
	WhyReasonRateTenantJobType  WhyReason = "rate_tenant_job_type"
	WhyReasonRateKey            WhyReason = "rate_key"
	WhyReasonDispatchDraining   WhyReason = "dispatch_draining"
	WhyReasonNoRelay            WhyReason = "no_relay"
	WhyReasonBrokerAway         WhyReason = "broker_away"
	WhyReasonTopicNotCreated    WhyReason = "topic_not_created"
	WhyReasonNotAcknowledged    WhyReason = "not_acknowledged"
	WhyReasonOffered            WhyReason = "offered"
	WhyReasonNoWorker           WhyReason = "no_worker"
	WhyReasonNoWorkerOfBuild    WhyReason = "no_worker_of_build"
	WhyReasonBehind             WhyReason = "behind"
	WhyReasonWaiting            WhyReason = "waiting"
	WhyReasonRunning            WhyReason = "running"
	WhyReasonFinished           WhyReason = "finished"
)

// WokenNode: A node that a delivery woke.
type WokenNode struct {
	ExecutionID string `json:"executionId"`
	NodeID      string `json:"nodeId"`
}

// Worker: A recently active worker.
type Worker struct {
	// Build that it runs, if it reports one.
	Build *string `json:"build,omitempty"`
	// Whether it is being drained: it receives no more jobs and is asked to exit.
	Draining    bool      `json:"draining"`
	FirstSeenAt time.Time `json:"firstSeenAt"`
	ID          string    `json:"id"`
	JobTypes    []string  `json:"jobTypes"`
	// `external`, or `pool` for Trunkline's own workers.
	Kind       string    `json:"kind"`
	LastSeenAt time.Time `json:"lastSeenAt"`
	// Number of leased jobs.
	Leased int32 `json:"leased"`
	// Maximum number of jobs that it has requested at once; for Trunkline's own workers, their concurrency. Absent for
	// workers that receive jobs only through Kafka.
	Slots *int32 `json:"slots,omitempty"`
	// Tenant that the worker's key is bound to.
	Tenant *string `json:"tenant,omitempty"`
}

// Workflow: One version of a workflow.
type Workflow struct {
	// SHA-256 (hex) of the definition as JSON with sorted keys.
	ContentHash string    `json:"contentHash"`
	CreatedAt   time.Time `json:"createdAt"`
	// Definition. Absent in lists.
	Definition json.RawMessage `json:"definition,omitempty"`
	// `limits.maxConcurrent` of the definition.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	Name          string `json:"name"`
	// Policy for new executions while the workflow is paused.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
	// Whether the workflow is paused.
	Paused bool `json:"paused"`
	// Location of each node in the program that the version was compiled from, by node ID. Absent in lists.
	Source map[string]SourcePlace `json:"source,omitempty"`
	// Tenant that owns the workflow; absent for a shared workflow.
	Tenant  *string `json:"tenant,omitempty"`
	Version int32   `json:"version"`
	// Warnings. Only in the response to a registration.
	Warnings []Fault `json:"warnings,omitempty"`
}

// WorkflowMode: The mode of a workflow.
type WorkflowMode struct {
	Name string `json:"name"`
	// Policy for new executions while the workflow is paused.
	NewRuns *NewRuns `json:"newRuns,omitempty"`
	// Whether the workflow is paused.
	Paused bool `json:"paused"`
}
