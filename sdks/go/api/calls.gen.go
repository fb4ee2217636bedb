// Code generated from services/api/openapi.json by sdks/codegen/generate.py. DO NOT EDIT.

package api

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// Calls is every call of the REST API.
type Calls struct {
	transport Transport
}

// NewCalls gives the calls over a transport.
func NewCalls(transport Transport) *Calls { return &Calls{transport} }

// ListAlertsQuery is the query of ListAlerts; zero fields are not sent.
type ListAlertsQuery struct {
	// `pending`, `firing` or `resolved`. Several values are separated by commas.
	Status string
	// Name of a rule.
	Rule string
	// `warning` or `critical`.
	Severity string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListAlerts: List alerts, newest first.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListAlerts(ctx context.Context, query ListAlertsQuery, options ...Option) (Page[Alert], error) {
	values := url.Values{}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Rule != "" {
		values.Set("rule", string(query.Rule))
	}
	if query.Severity != "" {
		values.Set("severity", string(query.Severity))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Alert]
	err := c.transport.Call(ctx, Request{Name: "listAlerts", Method: "GET", Path: "/v1/alerts", Query: values}, &out, options...)
	return out, err
}

// ListNotificationsQuery is the query of ListNotifications; zero fields are not sent.
type ListNotificationsQuery struct {
	// `pending`, `sent` or `failed`. Several values are separated by commas.
	Status string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListNotifications: List notifications, newest first.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListNotifications(ctx context.Context, query ListNotificationsQuery, options ...Option) (Page[AlertNotification], error) {
	values := url.Values{}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[AlertNotification]
	err := c.transport.Call(ctx, Request{Name: "listNotifications", Method: "GET", Path: "/v1/alerts/notifications", Query: values}, &out, options...)
	return out, err
}

// RetryNotification: Send a notification again.
// Only for a notification that has not been sent. The count of attempts starts again from zero.
//
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) RetryNotification(ctx context.Context, id string, options ...Option) (AlertNotification, error) {
	var out AlertNotification
	err := c.transport.Call(ctx, Request{Name: "retryNotification", Method: "POST", Path: "/v1/alerts/notifications/" + url.PathEscape(id) + "/retry", Keyed: true}, &out, options...)
	return out, err
}

// ListRoutes: List alert routes by name.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListRoutes(ctx context.Context, options ...Option) (Page[AlertRoute], error) {
	var out Page[AlertRoute]
	err := c.transport.Call(ctx, Request{Name: "listRoutes", Method: "GET", Path: "/v1/alerts/routes"}, &out, options...)
	return out, err
}

// GetRoute: Show an alert route.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetRoute(ctx context.Context, name string, options ...Option) (AlertRoute, error) {
	var out AlertRoute
	err := c.transport.Call(ctx, Request{Name: "getRoute", Method: "GET", Path: "/v1/alerts/routes/" + url.PathEscape(name)}, &out, options...)
	return out, err
}

// PutRoute: Set an alert route.
// Webhook requests are signed according to Standard Webhooks. If `secret` is absent, one is generated and shown once.
//
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) PutRoute(ctx context.Context, name string, body AlertRouteRequest, options ...Option) (AlertRoute, error) {
	var out AlertRoute
	err := c.transport.Call(ctx, Request{Name: "putRoute", Method: "PUT", Path: "/v1/alerts/routes/" + url.PathEscape(name), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteRoute: Delete an alert route.
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) DeleteRoute(ctx context.Context, name string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteRoute", Method: "DELETE", Path: "/v1/alerts/routes/" + url.PathEscape(name), Keyed: true}, nil, options...)
}

// TestRoute: Send a test notification.
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) TestRoute(ctx context.Context, name string, options ...Option) (AlertNotification, error) {
	var out AlertNotification
	err := c.transport.Call(ctx, Request{Name: "testRoute", Method: "POST", Path: "/v1/alerts/routes/" + url.PathEscape(name) + "/test", Keyed: true}, &out, options...)
	return out, err
}

// ListRules: List alert rules by name.
// Includes the default rules and the rules that were set.
//
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListRules(ctx context.Context, options ...Option) (Page[AlertRule], error) {
	var out Page[AlertRule]
	err := c.transport.Call(ctx, Request{Name: "listRules", Method: "GET", Path: "/v1/alerts/rules"}, &out, options...)
	return out, err
}

// GetRule: Show an alert rule.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetRule(ctx context.Context, name string, options ...Option) (AlertRule, error) {
	var out AlertRule
	err := c.transport.Call(ctx, Request{Name: "getRule", Method: "GET", Path: "/v1/alerts/rules/" + url.PathEscape(name)}, &out, options...)
	return out, err
}

// PutRule: Set an alert rule.
// Replaces an existing rule of the same name, including a default rule.
//
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) PutRule(ctx context.Context, name string, body AlertRuleRequest, options ...Option) (AlertRule, error) {
	var out AlertRule
	err := c.transport.Call(ctx, Request{Name: "putRule", Method: "PUT", Path: "/v1/alerts/rules/" + url.PathEscape(name), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteRule: Delete an alert rule.
// Deleting a rule that replaces a default rule restores the default. To disable a default rule, set `enabled: false`.
//
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) DeleteRule(ctx context.Context, name string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteRule", Method: "DELETE", Path: "/v1/alerts/rules/" + url.PathEscape(name), Keyed: true}, nil, options...)
}

// ListSilences: List silences, newest first.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListSilences(ctx context.Context, options ...Option) (Page[Silence], error) {
	var out Page[Silence]
	err := c.transport.Call(ctx, Request{Name: "listSilences", Method: "GET", Path: "/v1/alerts/silences"}, &out, options...)
	return out, err
}

// AddSilence: Silence alerts.
// No notifications are sent while the silence lasts. Alerts that still fire when it ends are sent then.
//
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) AddSilence(ctx context.Context, body SilenceRequest, options ...Option) (Silence, error) {
	var out Silence
	err := c.transport.Call(ctx, Request{Name: "addSilence", Method: "POST", Path: "/v1/alerts/silences", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetSilence: Show a silence that has not ended.
// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetSilence(ctx context.Context, id string, options ...Option) (Silence, error) {
	var out Silence
	err := c.transport.Call(ctx, Request{Name: "getSilence", Method: "GET", Path: "/v1/alerts/silences/" + url.PathEscape(id)}, &out, options...)
	return out, err
}

// EndSilence: End a silence.
// Action `alerts.write`: requires role `admin` or `operator`.
func (c *Calls) EndSilence(ctx context.Context, id string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "endSilence", Method: "DELETE", Path: "/v1/alerts/silences/" + url.PathEscape(id), Keyed: true}, nil, options...)
}

// ListKeysQuery is the query of ListKeys; zero fields are not sent.
type ListKeysQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListKeys: List API keys without their secrets, newest first.
// Action `keys.read`: requires role `admin`.
func (c *Calls) ListKeys(ctx context.Context, query ListKeysQuery, options ...Option) (Page[APIKey], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[APIKey]
	err := c.transport.Call(ctx, Request{Name: "listKeys", Method: "GET", Path: "/v1/api-keys", Query: values}, &out, options...)
	return out, err
}

// CreateKey: Create an API key.
// The secret is shown only in this response.
//
// Action `keys.write`: requires role `admin`.
func (c *Calls) CreateKey(ctx context.Context, body APIKeyRequest, options ...Option) (NewAPIKey, error) {
	var out NewAPIKey
	err := c.transport.Call(ctx, Request{Name: "createKey", Method: "POST", Path: "/v1/api-keys", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RevokeKey: Revoke an API key.
// Action `keys.write`: requires role `admin`.
func (c *Calls) RevokeKey(ctx context.Context, id string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "revokeKey", Method: "DELETE", Path: "/v1/api-keys/" + url.PathEscape(id), Keyed: true}, nil, options...)
}

// RotateKey: Rotate the secret of an API key.
// The secret is shown only in this response. ID, role and scopes do not change. The previous secret stays valid for
// `overlap`.
//
// Action `keys.write`: requires role `admin`.
func (c *Calls) RotateKey(ctx context.Context, id string, body KeyRotation, options ...Option) (NewAPIKey, error) {
	var out NewAPIKey
	err := c.transport.Call(ctx, Request{Name: "rotateKey", Method: "POST", Path: "/v1/api-keys/" + url.PathEscape(id) + "/rotate", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListArchiveQuery is the query of ListArchive; zero fields are not sent.
type ListArchiveQuery struct {
	// One of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook. Several values are separated by commas.
	Queue string
	// Exact match. Several values are separated by commas.
	Workflow string
	// Exact match. Several values are separated by commas.
	JobType string
	// Exact match. Several values are separated by commas.
	Tenant string
	// Exact match. Several values are separated by commas.
	Fingerprint string
	// One of retries_exhausted, non_retryable, worker_lost, timeout. Several values are separated by commas.
	Reason string
	// One of archived. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	Tag string
	// Exact match. Several values are separated by commas.
	WorkerID string
	// ID: `exe_` and 32 hexadecimal digits.
	ExecutionID string
	// ID: `sch_` and 32 hexadecimal digits.
	ScheduleID string
	// ID: `dlv_` and 32 hexadecimal digits.
	DeliveryID string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	DiedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	DiedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ResolvedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ResolvedBefore string
	// Same as `diedAfter`.
	From string
	// Same as `diedBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: died, resolved (default `died`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListArchive: List archived dead letters, newest first.
// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListArchive(ctx context.Context, query ListArchiveQuery, options ...Option) (Page[DeadLetter], error) {
	values := url.Values{}
	if query.Queue != "" {
		values.Set("queue", string(query.Queue))
	}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.JobType != "" {
		values.Set("jobType", string(query.JobType))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Fingerprint != "" {
		values.Set("fingerprint", string(query.Fingerprint))
	}
	if query.Reason != "" {
		values.Set("reason", string(query.Reason))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Tag != "" {
		values.Set("tag", string(query.Tag))
	}
	if query.WorkerID != "" {
		values.Set("workerId", string(query.WorkerID))
	}
	if query.ExecutionID != "" {
		values.Set("executionId", string(query.ExecutionID))
	}
	if query.ScheduleID != "" {
		values.Set("scheduleId", string(query.ScheduleID))
	}
	if query.DeliveryID != "" {
		values.Set("deliveryId", string(query.DeliveryID))
	}
	if query.DiedAfter != "" {
		values.Set("diedAfter", string(query.DiedAfter))
	}
	if query.DiedBefore != "" {
		values.Set("diedBefore", string(query.DiedBefore))
	}
	if query.ResolvedAfter != "" {
		values.Set("resolvedAfter", string(query.ResolvedAfter))
	}
	if query.ResolvedBefore != "" {
		values.Set("resolvedBefore", string(query.ResolvedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[DeadLetter]
	err := c.transport.Call(ctx, Request{Name: "listArchive", Method: "GET", Path: "/v1/archive", Query: values}, &out, options...)
	return out, err
}

// ListAuditQuery is the query of ListAudit; zero fields are not sent.
type ListAuditQuery struct {
	// Exact match. Several values are separated by commas.
	Actor string
	// Exact match. Several values are separated by commas.
	Action string
	// Exact match.
	Subject string
	// Exact match. Several values are separated by commas.
	Tenant string
	// Exact match.
	Address string
	// Exact match.
	RequestID string
	// One of done, refused. Several values are separated by commas.
	Outcome string
	// One of rest, cli, console, grpc, system. Several values are separated by commas.
	Door string
	// Exact match.
	Batch string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	AtAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	AtBefore string
	// Same as `atAfter`.
	From string
	// Same as `atBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: at (default `at`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListAudit: List the audit log, newest first.
// Several values of a parameter are separated by commas; any of them matches.
//
// Action `audit.read`: requires role `admin` or `operator`.
func (c *Calls) ListAudit(ctx context.Context, query ListAuditQuery, options ...Option) (Page[AuditLine], error) {
	values := url.Values{}
	if query.Actor != "" {
		values.Set("actor", string(query.Actor))
	}
	if query.Action != "" {
		values.Set("action", string(query.Action))
	}
	if query.Subject != "" {
		values.Set("subject", string(query.Subject))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Address != "" {
		values.Set("address", string(query.Address))
	}
	if query.RequestID != "" {
		values.Set("requestId", string(query.RequestID))
	}
	if query.Outcome != "" {
		values.Set("outcome", string(query.Outcome))
	}
	if query.Door != "" {
		values.Set("door", string(query.Door))
	}
	if query.Batch != "" {
		values.Set("batch", string(query.Batch))
	}
	if query.AtAfter != "" {
		values.Set("atAfter", string(query.AtAfter))
	}
	if query.AtBefore != "" {
		values.Set("atBefore", string(query.AtBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[AuditLine]
	err := c.transport.Call(ctx, Request{Name: "listAudit", Method: "GET", Path: "/v1/audit", Query: values}, &out, options...)
	return out, err
}

// VerifyAuditQuery is the query of VerifyAudit; zero fields are not sent.
type VerifyAuditQuery struct {
	// Number of the first entry to verify (default: the first entry of the log).
	From int64
	// Number of the last entry to verify (default: the last entry of the log). One call verifies at most 10,000
	// entries.
	To int64
}

// VerifyAudit: Verify the hash chain of the audit log.
// Verifies at most 10,000 entries; continue with `from` = `last.seq` + 1 until `last.seq` is `head.seq`. Requires a key that is
// not bound to a tenant.
//
// Action `audit.read`: requires role `admin` or `operator`.
func (c *Calls) VerifyAudit(ctx context.Context, query VerifyAuditQuery, options ...Option) (AuditVerification, error) {
	values := url.Values{}
	if query.From != 0 {
		values.Set("from", strconv.FormatInt(query.From, 10))
	}
	if query.To != 0 {
		values.Set("to", strconv.FormatInt(query.To, 10))
	}
	var out AuditVerification
	err := c.transport.Call(ctx, Request{Name: "verifyAudit", Method: "GET", Path: "/v1/audit/verify", Query: values}, &out, options...)
	return out, err
}

// ListBatchesQuery is the query of ListBatches; zero fields are not sent.
type ListBatchesQuery struct {
	// Exact match. Several values are separated by commas.
	Kind string
	// One of preparing, running, paused, completed, aborted, failed. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	Actor string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedBefore string
	// Same as `createdAfter`.
	From string
	// Same as `createdBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: created (default `created`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListBatches: List bulk operations, newest first.
// Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListBatches(ctx context.Context, query ListBatchesQuery, options ...Option) (Page[Batch], error) {
	values := url.Values{}
	if query.Kind != "" {
		values.Set("kind", string(query.Kind))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Actor != "" {
		values.Set("actor", string(query.Actor))
	}
	if query.CreatedAfter != "" {
		values.Set("createdAfter", string(query.CreatedAfter))
	}
	if query.CreatedBefore != "" {
		values.Set("createdBefore", string(query.CreatedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Batch]
	err := c.transport.Call(ctx, Request{Name: "listBatches", Method: "GET", Path: "/v1/batches", Query: values}, &out, options...)
	return out, err
}

// GetBatch: Show the progress of a bulk operation.
// Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetBatch(ctx context.Context, id string, options ...Option) (Batch, error) {
	var out Batch
	err := c.transport.Call(ctx, Request{Name: "getBatch", Method: "GET", Path: "/v1/batches/" + url.PathEscape(id)}, &out, options...)
	return out, err
}

// AbortBatch: Abort a bulk operation.
// Changes that were already made are kept.
//
// Action `batches.abort`: requires role `admin` or `operator`.
func (c *Calls) AbortBatch(ctx context.Context, id string, options ...Option) (Batch, error) {
	var out Batch
	err := c.transport.Call(ctx, Request{Name: "abortBatch", Method: "POST", Path: "/v1/batches/" + url.PathEscape(id) + "/abort", Keyed: true}, &out, options...)
	return out, err
}

// ListBatchItemsQuery is the query of ListBatchItems; zero fields are not sent.
type ListBatchItemsQuery struct {
	// `done`, `failed` or `skipped`. Several values are separated by commas.
	Outcome string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListBatchItems: List the objects of a bulk operation and their outcomes, in processing order.
// Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListBatchItems(ctx context.Context, id string, query ListBatchItemsQuery, options ...Option) (Page[BatchItem], error) {
	values := url.Values{}
	if query.Outcome != "" {
		values.Set("outcome", string(query.Outcome))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[BatchItem]
	err := c.transport.Call(ctx, Request{Name: "listBatchItems", Method: "GET", Path: "/v1/batches/" + url.PathEscape(id) + "/items", Query: values}, &out, options...)
	return out, err
}

// PauseBatch: Pause a bulk operation.
// Action `batches.pause`: requires role `admin` or `operator`.
func (c *Calls) PauseBatch(ctx context.Context, id string, options ...Option) (Batch, error) {
	var out Batch
	err := c.transport.Call(ctx, Request{Name: "pauseBatch", Method: "POST", Path: "/v1/batches/" + url.PathEscape(id) + "/pause", Keyed: true}, &out, options...)
	return out, err
}

// ResumeBatch: Resume a paused bulk operation.
// Action `batches.pause`: requires role `admin` or `operator`.
func (c *Calls) ResumeBatch(ctx context.Context, id string, options ...Option) (Batch, error) {
	var out Batch
	err := c.transport.Call(ctx, Request{Name: "resumeBatch", Method: "POST", Path: "/v1/batches/" + url.PathEscape(id) + "/resume", Keyed: true}, &out, options...)
	return out, err
}

// ListBuildPinsQuery is the query of ListBuildPins; zero fields are not sent.
type ListBuildPinsQuery struct {
	// Tenant (default: the key's tenant, or all tenants).
	Tenant string
}

// ListBuildPins: List job types that are pinned to builds.
// Action `builds.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListBuildPins(ctx context.Context, query ListBuildPinsQuery, options ...Option) (BuildPins, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out BuildPins
	err := c.transport.Call(ctx, Request{Name: "listBuildPins", Method: "GET", Path: "/v1/builds", Query: values}, &out, options...)
	return out, err
}

// GetCommand: Show the status of a command.
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetCommand(ctx context.Context, position string, options ...Option) (Command, error) {
	var out Command
	err := c.transport.Call(ctx, Request{Name: "getCommand", Method: "GET", Path: "/v1/commands/" + url.PathEscape(position)}, &out, options...)
	return out, err
}

// ListDeadLettersQuery is the query of ListDeadLetters; zero fields are not sent.
type ListDeadLettersQuery struct {
	// One of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook. Several values are separated by commas.
	Queue string
	// Exact match. Several values are separated by commas.
	Workflow string
	// Exact match. Several values are separated by commas.
	JobType string
	// Exact match. Several values are separated by commas.
	Tenant string
	// Exact match. Several values are separated by commas.
	Fingerprint string
	// One of retries_exhausted, non_retryable, worker_lost, timeout. Several values are separated by commas.
	Reason string
	// One of open, requeued, archived. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	Tag string
	// Exact match. Several values are separated by commas.
	WorkerID string
	// ID: `exe_` and 32 hexadecimal digits.
	ExecutionID string
	// ID: `sch_` and 32 hexadecimal digits.
	ScheduleID string
	// ID: `dlv_` and 32 hexadecimal digits.
	DeliveryID string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	DiedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	DiedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ResolvedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ResolvedBefore string
	// Same as `diedAfter`.
	From string
	// Same as `diedBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: died, resolved (default `died`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListDeadLetters: List dead letters, newest first.
// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListDeadLetters(ctx context.Context, query ListDeadLettersQuery, options ...Option) (Page[DeadLetter], error) {
	values := url.Values{}
	if query.Queue != "" {
		values.Set("queue", string(query.Queue))
	}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.JobType != "" {
		values.Set("jobType", string(query.JobType))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Fingerprint != "" {
		values.Set("fingerprint", string(query.Fingerprint))
	}
	if query.Reason != "" {
		values.Set("reason", string(query.Reason))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Tag != "" {
		values.Set("tag", string(query.Tag))
	}
	if query.WorkerID != "" {
		values.Set("workerId", string(query.WorkerID))
	}
	if query.ExecutionID != "" {
		values.Set("executionId", string(query.ExecutionID))
	}
	if query.ScheduleID != "" {
		values.Set("scheduleId", string(query.ScheduleID))
	}
	if query.DeliveryID != "" {
		values.Set("deliveryId", string(query.DeliveryID))
	}
	if query.DiedAfter != "" {
		values.Set("diedAfter", string(query.DiedAfter))
	}
	if query.DiedBefore != "" {
		values.Set("diedBefore", string(query.DiedBefore))
	}
	if query.ResolvedAfter != "" {
		values.Set("resolvedAfter", string(query.ResolvedAfter))
	}
	if query.ResolvedBefore != "" {
		values.Set("resolvedBefore", string(query.ResolvedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[DeadLetter]
	err := c.transport.Call(ctx, Request{Name: "listDeadLetters", Method: "GET", Path: "/v1/dead-letters", Query: values}, &out, options...)
	return out, err
}

// ArchiveDeadLetters: Archive many dead letters.
// Action `deadLetters.archive`: requires role `admin` or `operator`.
func (c *Calls) ArchiveDeadLetters(ctx context.Context, body BulkOperationRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "archiveDeadLetters", Method: "POST", Path: "/v1/dead-letters/archive", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListGroupsQuery is the query of ListGroups; zero fields are not sent.
type ListGroupsQuery struct {
	// Queue.
	Queue string
	// Name of the workflow.
	Workflow string
	// Job type.
	JobType string
	// Name of the tenant.
	Tenant string
	// Fingerprint of the failure, as shown by dead letters and their groups.
	Fingerprint string
	// Reason for the permanent failure.
	Reason string
	// Status (always `open`).
	Status string
	// State of the group: `open`, `resolved` or `ignored`. Several values are separated by commas.
	State string
	// Failed permanently at or after this instant.
	From time.Time
	// Failed permanently before this instant.
	To time.Time
	// Page size, 1 to 500 (default 50).
	Limit int32
	// Not supported: this list is not paginated.
	Cursor string
}

// ListGroups: List open dead letters grouped by error, largest group first.
// A resolved group reopens when the error occurs again. An ignored group reopens at the given instant, after the given
// number of dead letters, or with the given version. With `state`, only the largest 500 groups are considered.
//
// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListGroups(ctx context.Context, query ListGroupsQuery, options ...Option) (Page[DeadLetterGroup], error) {
	values := url.Values{}
	if query.Queue != "" {
		values.Set("queue", string(query.Queue))
	}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.JobType != "" {
		values.Set("jobType", string(query.JobType))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Fingerprint != "" {
		values.Set("fingerprint", string(query.Fingerprint))
	}
	if query.Reason != "" {
		values.Set("reason", string(query.Reason))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.State != "" {
		values.Set("state", string(query.State))
	}
	if !query.From.IsZero() {
		values.Set("from", query.From.Format(time.RFC3339Nano))
	}
	if !query.To.IsZero() {
		values.Set("to", query.To.Format(time.RFC3339Nano))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[DeadLetterGroup]
	err := c.transport.Call(ctx, Request{Name: "listGroups", Method: "GET", Path: "/v1/dead-letters/groups", Query: values}, &out, options...)
	return out, err
}

// IgnoreGroup: Ignore a group of dead letters.
// The group is ignored until a given instant, until a given number of further dead letters, until the error occurs in
// a given version of a workflow, or until someone reopens it.
//
// Action `deadLetters.resolve`: requires role `admin` or `operator`.
func (c *Calls) IgnoreGroup(ctx context.Context, fingerprint string, body GroupIgnoreRequest, options ...Option) (DeadLetterGroupStanding, error) {
	var out DeadLetterGroupStanding
	err := c.transport.Call(ctx, Request{Name: "ignoreGroup", Method: "POST", Path: "/v1/dead-letters/groups/" + url.PathEscape(fingerprint) + "/ignore", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ReopenGroup: Reopen a group of dead letters.
// Action `deadLetters.resolve`: requires role `admin` or `operator`.
func (c *Calls) ReopenGroup(ctx context.Context, fingerprint string, body GroupDecisionRequest, options ...Option) (DeadLetterGroupStanding, error) {
	var out DeadLetterGroupStanding
	err := c.transport.Call(ctx, Request{Name: "reopenGroup", Method: "POST", Path: "/v1/dead-letters/groups/" + url.PathEscape(fingerprint) + "/reopen", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ResolveGroup: Resolve a group of dead letters.
// Its dead letters do not change. The group reopens automatically when the error occurs again.
//
// Action `deadLetters.resolve`: requires role `admin` or `operator`.
func (c *Calls) ResolveGroup(ctx context.Context, fingerprint string, body GroupDecisionRequest, options ...Option) (DeadLetterGroupStanding, error) {
	var out DeadLetterGroupStanding
	err := c.transport.Call(ctx, Request{Name: "resolveGroup", Method: "POST", Path: "/v1/dead-letters/groups/" + url.PathEscape(fingerprint) + "/resolve", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RequeueDeadLetters: Requeue many dead letters.
// Action `deadLetters.requeue`: requires role `admin` or `operator`.
func (c *Calls) RequeueDeadLetters(ctx context.Context, body BulkRequeueRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "requeueDeadLetters", Method: "POST", Path: "/v1/dead-letters/requeue", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetDeadLetterQuery is the query of GetDeadLetter; zero fields are not sent.
type GetDeadLetterQuery struct {
	// Maximum payload size in bytes. A larger payload is null and listed in `omitted` with its path (default: no
	// maximum).
	MaxPayload int32
}

// GetDeadLetter: Show a dead letter with its attempts.
// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetDeadLetter(ctx context.Context, id string, query GetDeadLetterQuery, options ...Option) (DeadLetter, error) {
	values := url.Values{}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out DeadLetter
	err := c.transport.Call(ctx, Request{Name: "getDeadLetter", Method: "GET", Path: "/v1/dead-letters/" + url.PathEscape(id), Query: values}, &out, options...)
	return out, err
}

// ArchiveDeadLetter: Archive a dead letter.
// Action `deadLetters.archive`: requires role `admin` or `operator`.
func (c *Calls) ArchiveDeadLetter(ctx context.Context, id string, body ArchiveRequest, options ...Option) (DeadLetterChange, error) {
	var out DeadLetterChange
	err := c.transport.Call(ctx, Request{Name: "archiveDeadLetter", Method: "POST", Path: "/v1/dead-letters/" + url.PathEscape(id) + "/archive", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetDeadLetterData: Get the data of a dead letter.
// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetDeadLetterData(ctx context.Context, id string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getDeadLetterData", Method: "GET", Path: "/v1/dead-letters/" + url.PathEscape(id) + "/data"}, &out, options...)
	return out, err
}

// RequeueDeadLetter: Requeue a dead letter.
// The job returns to its queue with its original ID, its history and a new retry budget. Repeating the call creates no
// second job.
//
// Action `deadLetters.requeue`: requires role `admin` or `operator`.
func (c *Calls) RequeueDeadLetter(ctx context.Context, id string, body RequeueRequest, options ...Option) (DeadLetterChange, error) {
	var out DeadLetterChange
	err := c.transport.Call(ctx, Request{Name: "requeueDeadLetter", Method: "POST", Path: "/v1/dead-letters/" + url.PathEscape(id) + "/requeue", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListDeliveriesQuery is the query of ListDeliveries; zero fields are not sent.
type ListDeliveriesQuery struct {
	// One of webhook, event. Several values are separated by commas.
	Source string
	// ID: `whk_` and 32 hexadecimal digits. Several values are separated by commas.
	WebhookID string
	// Exact match. Several values are separated by commas.
	Tenant string
	// One of accepted, held, matched, unmatched, parked, duplicate, rejected, handshake. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	EventType string
	// Exact match. Several values are separated by commas.
	Reason string
	// Exact match.
	RemoteAddress string
	// ID: `exe_` and 32 hexadecimal digits.
	ExecutionID string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ReceivedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ReceivedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ProcessedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ProcessedBefore string
	// Same as `receivedAfter`.
	From string
	// Same as `receivedBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: received, processed (default `received`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListDeliveries: List deliveries, newest first.
// Includes deliveries of every status (accepted, held, matched, unmatched, parked, duplicate, rejected, handshake) and
// of deleted endpoints.
//
// Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListDeliveries(ctx context.Context, query ListDeliveriesQuery, options ...Option) (Page[Delivery], error) {
	values := url.Values{}
	if query.Source != "" {
		values.Set("source", string(query.Source))
	}
	if query.WebhookID != "" {
		values.Set("webhookId", string(query.WebhookID))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.EventType != "" {
		values.Set("eventType", string(query.EventType))
	}
	if query.Reason != "" {
		values.Set("reason", string(query.Reason))
	}
	if query.RemoteAddress != "" {
		values.Set("remoteAddress", string(query.RemoteAddress))
	}
	if query.ExecutionID != "" {
		values.Set("executionId", string(query.ExecutionID))
	}
	if query.ReceivedAfter != "" {
		values.Set("receivedAfter", string(query.ReceivedAfter))
	}
	if query.ReceivedBefore != "" {
		values.Set("receivedBefore", string(query.ReceivedBefore))
	}
	if query.ProcessedAfter != "" {
		values.Set("processedAfter", string(query.ProcessedAfter))
	}
	if query.ProcessedBefore != "" {
		values.Set("processedBefore", string(query.ProcessedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Delivery]
	err := c.transport.Call(ctx, Request{Name: "listDeliveries", Method: "GET", Path: "/v1/deliveries", Query: values}, &out, options...)
	return out, err
}

// ReplayDeliveries: Replay many deliveries.
// Action `deliveries.replay`: requires role `admin` or `operator`.
func (c *Calls) ReplayDeliveries(ctx context.Context, body BulkReplayRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "replayDeliveries", Method: "POST", Path: "/v1/deliveries/replay", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetDeliveryQuery is the query of GetDelivery; zero fields are not sent.
type GetDeliveryQuery struct {
	// Maximum body size in bytes. A larger body is absent and listed in `omitted` with its path (default: no maximum).
	MaxPayload int32
}

// GetDelivery: Show a delivery with its headers and its body.
// Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetDelivery(ctx context.Context, id string, query GetDeliveryQuery, options ...Option) (Delivery, error) {
	values := url.Values{}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out Delivery
	err := c.transport.Call(ctx, Request{Name: "getDelivery", Method: "GET", Path: "/v1/deliveries/" + url.PathEscape(id), Query: values}, &out, options...)
	return out, err
}

// ReplayDelivery: Replay a delivery.
// Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
// deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
// with `allTriggers`.
//
// Action `deliveries.replay`: requires role `admin` or `operator`.
func (c *Calls) ReplayDelivery(ctx context.Context, id string, body ReplayRequest, options ...Option) (ReplayedDelivery, error) {
	var out ReplayedDelivery
	err := c.transport.Call(ctx, Request{Name: "replayDelivery", Method: "POST", Path: "/v1/deliveries/" + url.PathEscape(id) + "/replay", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// MoveTime: Move the time of a development server.
// Only on a server started with `trunkline dev --time-skip`; other servers return 409 `time_is_real`. On such a
// server, schedules fire only through this call. The call waits while a job is leased or a request is in progress, and
// returns 409 `time_is_held` after 20 seconds.
//
// Action `time.move`: requires role `admin`.
func (c *Calls) MoveTime(ctx context.Context, body TimeMoveRequest, options ...Option) (DevTime, error) {
	var out DevTime
	err := c.transport.Call(ctx, Request{Name: "moveTime", Method: "POST", Path: "/v1/dev/time", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetDispatch: Get the state of dispatch.
// Returns the mode, the nodes with their relays, the shards with their owners and terms, the open offers, and the jobs
// that wait for an offer. The figures of a relay are updated when it renews its term, every few seconds. Requires a
// key that is not bound to a tenant.
//
// Action `servers.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetDispatch(ctx context.Context, options ...Option) (Dispatch, error) {
	var out Dispatch
	err := c.transport.Call(ctx, Request{Name: "getDispatch", Method: "GET", Path: "/v1/dispatch"}, &out, options...)
	return out, err
}

// Examine: Check the deployment.
// Checks schema, connection pooler, old snapshots, dead rows, clocks, leases, parked executions, disk, certificates,
// keys and dispatch. Each warning and failure says how to fix it. Requires role `admin` and a key that is not bound to
// a tenant.
//
// Action `doctor.read`: requires role `admin`.
func (c *Calls) Examine(ctx context.Context, options ...Option) (Doctor, error) {
	var out Doctor
	err := c.transport.Call(ctx, Request{Name: "examine", Method: "GET", Path: "/v1/doctor"}, &out, options...)
	return out, err
}

// SendEvent: Send an event.
// Matching triggers start workflows, and executions that wait for the event continue. A 202 means that the event is
// stored durably. A duplicate of an event of the last 24 hours returns 200 with the first delivery.
// 429 `quota_exceeded` with the quota `waitingStartBytes` if a trigger would delay the start and no more starts may wait.
//
// Action `events.send`: requires role `admin`, `operator` or `client`.
func (c *Calls) SendEvent(ctx context.Context, body EventRequest, options ...Option) (SentEvent, error) {
	var out SentEvent
	err := c.transport.Call(ctx, Request{Name: "sendEvent", Method: "POST", Path: "/v1/events", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// SendEventBatch: Send many events in one commit.
// Atomic: all events are accepted, or none.
//
// Action `events.send`: requires role `admin`, `operator` or `client`.
func (c *Calls) SendEventBatch(ctx context.Context, body EventBatch, options ...Option) (SentEvents, error) {
	var out SentEvents
	err := c.transport.Call(ctx, Request{Name: "sendEventBatch", Method: "POST", Path: "/v1/events/batch", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListExecutionsQuery is the query of ListExecutions; zero fields are not sent.
type ListExecutionsQuery struct {
	// Exact match. Several values are separated by commas.
	Workflow string
	// Integer.
	Version string
	// One of PENDING, RUNNING, WAITING, COMPLETED, FAILED, CANCELLED, COMPENSATING. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	Tenant string
	// One of high, normal, low. Several values are separated by commas.
	Priority string
	// Exact match. Several values are separated by commas.
	Tag string
	// One of user, schedule, webhook, event, parent. Several values are separated by commas.
	Trigger string
	// Exact match. Several values are separated by commas.
	Fingerprint string
	// Exact match.
	CorrelationID string
	// Exact match.
	UniqueKey string
	// ID: `exe_` and 32 hexadecimal digits.
	Parent string
	// ID: `sch_` and 32 hexadecimal digits.
	ScheduleID string
	// ID: `whk_` and 32 hexadecimal digits.
	WebhookID string
	// ID: `dlv_` and 32 hexadecimal digits.
	DeliveryID string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	StartedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	StartedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CompletedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CompletedBefore string
	// Same as `createdAfter`.
	From string
	// Same as `createdBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: created, started, completed (default `created`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListExecutions: List executions, newest first.
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListExecutions(ctx context.Context, query ListExecutionsQuery, options ...Option) (Page[Execution], error) {
	values := url.Values{}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.Version != "" {
		values.Set("version", string(query.Version))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Priority != "" {
		values.Set("priority", string(query.Priority))
	}
	if query.Tag != "" {
		values.Set("tag", string(query.Tag))
	}
	if query.Trigger != "" {
		values.Set("trigger", string(query.Trigger))
	}
	if query.Fingerprint != "" {
		values.Set("fingerprint", string(query.Fingerprint))
	}
	if query.CorrelationID != "" {
		values.Set("correlationId", string(query.CorrelationID))
	}
	if query.UniqueKey != "" {
		values.Set("uniqueKey", string(query.UniqueKey))
	}
	if query.Parent != "" {
		values.Set("parent", string(query.Parent))
	}
	if query.ScheduleID != "" {
		values.Set("scheduleId", string(query.ScheduleID))
	}
	if query.WebhookID != "" {
		values.Set("webhookId", string(query.WebhookID))
	}
	if query.DeliveryID != "" {
		values.Set("deliveryId", string(query.DeliveryID))
	}
	if query.CreatedAfter != "" {
		values.Set("createdAfter", string(query.CreatedAfter))
	}
	if query.CreatedBefore != "" {
		values.Set("createdBefore", string(query.CreatedBefore))
	}
	if query.StartedAfter != "" {
		values.Set("startedAfter", string(query.StartedAfter))
	}
	if query.StartedBefore != "" {
		values.Set("startedBefore", string(query.StartedBefore))
	}
	if query.CompletedAfter != "" {
		values.Set("completedAfter", string(query.CompletedAfter))
	}
	if query.CompletedBefore != "" {
		values.Set("completedBefore", string(query.CompletedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Execution]
	err := c.transport.Call(ctx, Request{Name: "listExecutions", Method: "GET", Path: "/v1/executions", Query: values}, &out, options...)
	return out, err
}

// StartExecutionQuery is the query of StartExecution; zero fields are not sent.
type StartExecutionQuery struct {
	// Whether to delay the response until the end or the timeout.
	Wait *bool
	// Timeout of `wait`, up to 60 s (default 30 s).
	Timeout string
}

// StartExecution: Start an execution.
// A 202 means that the execution is stored durably. With `wait`, the response is 200 with the ended execution, or 202
// when the timeout expires.
//
// Action `executions.start`: requires role `admin`, `operator` or `client`.
func (c *Calls) StartExecution(ctx context.Context, body ExecutionRequest, query StartExecutionQuery, options ...Option) (json.RawMessage, error) {
	values := url.Values{}
	if query.Wait != nil {
		values.Set("wait", strconv.FormatBool(*query.Wait))
	}
	if query.Timeout != "" {
		values.Set("timeout", string(query.Timeout))
	}
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "startExecution", Method: "POST", Path: "/v1/executions", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// StartExecutions: Start many executions in one commit.
// Atomic, unless `partial` is true: then valid executions are accepted and each invalid one has its error in the
// results.
//
// Action `executions.start`: requires role `admin`, `operator` or `client`.
func (c *Calls) StartExecutions(ctx context.Context, body ExecutionBatch, options ...Option) (BatchResults[BatchResultCreatedExecution], error) {
	var out BatchResults[BatchResultCreatedExecution]
	err := c.transport.Call(ctx, Request{Name: "startExecutions", Method: "POST", Path: "/v1/executions/batch", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// CancelExecutions: Cancel many executions.
// Action `executions.cancel`: requires role `admin`, `operator` or `client`.
func (c *Calls) CancelExecutions(ctx context.Context, body BulkCancelRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "cancelExecutions", Method: "POST", Path: "/v1/executions/cancel", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RerunExecutions: Rerun many ended executions from a node.
// Action `executions.rerun`: requires role `admin`, `operator` or `client`.
func (c *Calls) RerunExecutions(ctx context.Context, body BulkRerunRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "rerunExecutions", Method: "POST", Path: "/v1/executions/rerun", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RetryExecutions: Retry many failed executions from their failed nodes.
// Action `executions.retry`: requires role `admin`, `operator` or `client`.
func (c *Calls) RetryExecutions(ctx context.Context, body BulkOperationRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "retryExecutions", Method: "POST", Path: "/v1/executions/retry", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetExecutionQuery is the query of GetExecution; zero fields are not sent.
type GetExecutionQuery struct {
	// Whether to delay the response until the end or the timeout.
	Wait *bool
	// Timeout of `wait`, up to 60 s (default 30 s).
	Timeout string
	// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
	// maximum).
	MaxPayload int32
}

// GetExecution: Show an execution.
// With `wait`, the response is delayed until the execution ends or the timeout expires.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetExecution(ctx context.Context, id string, query GetExecutionQuery, options ...Option) (Execution, error) {
	values := url.Values{}
	if query.Wait != nil {
		values.Set("wait", strconv.FormatBool(*query.Wait))
	}
	if query.Timeout != "" {
		values.Set("timeout", string(query.Timeout))
	}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out Execution
	err := c.transport.Call(ctx, Request{Name: "getExecution", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id), Query: values}, &out, options...)
	return out, err
}

// CancelExecution: Cancel an execution.
// With `compensate`, completed nodes are compensated first, in reverse order.
//
// Action `executions.cancel`: requires role `admin`, `operator` or `client`.
func (c *Calls) CancelExecution(ctx context.Context, id string, body CancelRequest, options ...Option) (CommandAccepted, error) {
	var out CommandAccepted
	err := c.transport.Call(ctx, Request{Name: "cancelExecution", Method: "POST", Path: "/v1/executions/" + url.PathEscape(id) + "/cancel", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListTimelineQuery is the query of ListTimeline; zero fields are not sent.
type ListTimelineQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListTimeline: Show the timeline of an execution, oldest first.
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListTimeline(ctx context.Context, id string, query ListTimelineQuery, options ...Option) (Page[TimelineEvent], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[TimelineEvent]
	err := c.transport.Call(ctx, Request{Name: "listTimeline", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/events", Query: values}, &out, options...)
	return out, err
}

// GetExecutionInput: Get the input of an execution.
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetExecutionInput(ctx context.Context, id string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getExecutionInput", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/input"}, &out, options...)
	return out, err
}

// ListExecutionLogsQuery is the query of ListExecutionLogs; zero fields are not sent.
type ListExecutionLogsQuery struct {
	// Lowest level.
	Level string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListExecutionLogs: List the log lines of an execution.
// Returns the lines of all nodes in order of time. A page may be short or empty and still have a `nextCursor` if few
// lines have the level.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListExecutionLogs(ctx context.Context, id string, query ListExecutionLogsQuery, options ...Option) (Page[StoredLogLine], error) {
	values := url.Values{}
	if query.Level != "" {
		values.Set("level", string(query.Level))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[StoredLogLine]
	err := c.transport.Call(ctx, Request{Name: "listExecutionLogs", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/logs", Query: values}, &out, options...)
	return out, err
}

// ListNodesQuery is the query of ListNodes; zero fields are not sent.
type ListNodesQuery struct {
	// Whether each `MAP` node is followed by its items, at most 1,000 of them, running and failed
	// items first.
	Items *bool
	// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
	// maximum).
	MaxPayload int32
}

// ListNodes: List the nodes of an execution, in definition order.
// A compensation that has started is listed after its node, as `charge:compensate`.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListNodes(ctx context.Context, id string, query ListNodesQuery, options ...Option) (Page[Node], error) {
	values := url.Values{}
	if query.Items != nil {
		values.Set("items", strconv.FormatBool(*query.Items))
	}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out Page[Node]
	err := c.transport.Call(ctx, Request{Name: "listNodes", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/nodes", Query: values}, &out, options...)
	return out, err
}

// GetNodeQuery is the query of GetNode; zero fields are not sent.
type GetNodeQuery struct {
	// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
	// maximum).
	MaxPayload int32
}

// GetNode: Show a node of an execution.
// Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
// settled.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetNode(ctx context.Context, id string, nodeId string, query GetNodeQuery, options ...Option) (Node, error) {
	values := url.Values{}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out Node
	err := c.transport.Call(ctx, Request{Name: "getNode", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/nodes/" + url.PathEscape(nodeId), Query: values}, &out, options...)
	return out, err
}

// GetNodeInput: Get the input of a node.
// Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
// settled.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetNodeInput(ctx context.Context, id string, nodeId string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getNodeInput", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/nodes/" + url.PathEscape(nodeId) + "/input"}, &out, options...)
	return out, err
}

// ListNodeItemsQuery is the query of ListNodeItems; zero fields are not sent.
type ListNodeItemsQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
	// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
	// maximum).
	MaxPayload int32
}

// ListNodeItems: List the settled items of a MAP node, in the order in which they settled.
// A page may be short or empty and still have a `nextCursor`, because a call reads a bounded number of results. An
// item that ran again is listed again; the later entry is the current one. The input of an item that ran as a job is
// stored with the job. Items in progress are listed with the nodes.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListNodeItems(ctx context.Context, id string, nodeId string, query ListNodeItemsQuery, options ...Option) (Page[Node], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out Page[Node]
	err := c.transport.Call(ctx, Request{Name: "listNodeItems", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/nodes/" + url.PathEscape(nodeId) + "/items", Query: values}, &out, options...)
	return out, err
}

// GetNodeOutput: Get the output of a node.
// Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
// settled.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetNodeOutput(ctx context.Context, id string, nodeId string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getNodeOutput", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/nodes/" + url.PathEscape(nodeId) + "/output"}, &out, options...)
	return out, err
}

// GetExecutionOutput: Get the output of an execution.
// `null` until it completes.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetExecutionOutput(ctx context.Context, id string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getExecutionOutput", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/output"}, &out, options...)
	return out, err
}

// RerunExecution: Rerun an execution from a node.
// Starts a new execution of the same version. Results of nodes that do not follow the given node are reused;
// those nodes do not run again. A failed rerun compensates its own nodes, and the reused ones
// only with `compensateOriginal`.
//
// Action `executions.rerun`: requires role `admin`, `operator` or `client`.
func (c *Calls) RerunExecution(ctx context.Context, id string, body RerunRequest, options ...Option) (CreatedExecution, error) {
	var out CreatedExecution
	err := c.transport.Call(ctx, Request{Name: "rerunExecution", Method: "POST", Path: "/v1/executions/" + url.PathEscape(id) + "/rerun", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RetryExecution: Retry a failed execution from its failed nodes.
// Action `executions.retry`: requires role `admin`, `operator` or `client`.
func (c *Calls) RetryExecution(ctx context.Context, id string, options ...Option) (CommandAccepted, error) {
	var out CommandAccepted
	err := c.transport.Call(ctx, Request{Name: "retryExecution", Method: "POST", Path: "/v1/executions/" + url.PathEscape(id) + "/retry", Keyed: true}, &out, options...)
	return out, err
}

// SignalExecution: Send a signal to an execution.
// The first node that waits for this signal name receives it. Earlier signals are buffered, at most 1,000 per
// execution.
//
// Action `executions.signal`: requires role `admin`, `operator` or `client`.
func (c *Calls) SignalExecution(ctx context.Context, id string, name string, body SignalRequest, options ...Option) (CommandAccepted, error) {
	var out CommandAccepted
	err := c.transport.Call(ctx, Request{Name: "signalExecution", Method: "POST", Path: "/v1/executions/" + url.PathEscape(id) + "/signals/" + url.PathEscape(name), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListStatesQuery is the query of ListStates; zero fields are not sent.
type ListStatesQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListStates: List the states of a finished execution, oldest first.
// Returns one state for each timeline entry: the status of the execution and its nodes after that entry. Parked
// executions are shown as RUNNING. Covers the first 50,000 entries. Requires a key that shows payloads.
//
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListStates(ctx context.Context, id string, query ListStatesQuery, options ...Option) (Page[ExecutionState], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[ExecutionState]
	err := c.transport.Call(ctx, Request{Name: "listStates", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/states", Query: values}, &out, options...)
	return out, err
}

// CompleteUserTask: Complete a user task.
// The output is validated against the task's form. Errors: 409 `user_task_not_open` if the task is closed, 409
// `user_task_round` for another round, 409 `user_task_claimed` if someone else has claimed it. A task with an assignee
// or group requires an API key of that person or group, or role `operator`.
//
// Action `userTasks.complete`: requires role `admin`, `operator` or `client`.
func (c *Calls) CompleteUserTask(ctx context.Context, id string, nodeId string, body UserTaskCompletion, options ...Option) (CommandAccepted, error) {
	var out CommandAccepted
	err := c.transport.Call(ctx, Request{Name: "completeUserTask", Method: "POST", Path: "/v1/executions/" + url.PathEscape(id) + "/user-tasks/" + url.PathEscape(nodeId) + "/complete", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// WhyExecution: Explain what an execution is waiting for.
// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) WhyExecution(ctx context.Context, id string, options ...Option) (ExecutionWhy, error) {
	var out ExecutionWhy
	err := c.transport.Call(ctx, Request{Name: "whyExecution", Method: "GET", Path: "/v1/executions/" + url.PathEscape(id) + "/why"}, &out, options...)
	return out, err
}

// GetJobTypeAttributesQuery is the query of GetJobTypeAttributes; zero fields are not sent.
type GetJobTypeAttributesQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// GetJobTypeAttributes: Show the searchable attributes of a job type.
// Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetJobTypeAttributes(ctx context.Context, jobType string, query GetJobTypeAttributesQuery, options ...Option) (map[string]Attribute, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]Attribute
	err := c.transport.Call(ctx, Request{Name: "getJobTypeAttributes", Method: "GET", Path: "/v1/job-types/" + url.PathEscape(jobType) + "/attributes", Query: values}, &out, options...)
	return out, err
}

// SetJobTypeAttributesQuery is the query of SetJobTypeAttributes; zero fields are not sent.
type SetJobTypeAttributesQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// SetJobTypeAttributes: Declare searchable attributes of a job type.
// Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs created from now
// on.
//
// Action `attributes.declare`: requires role `admin` or `operator`.
func (c *Calls) SetJobTypeAttributes(ctx context.Context, jobType string, body map[string]AttributeDeclaration, query SetJobTypeAttributesQuery, options ...Option) (map[string]Attribute, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]Attribute
	err := c.transport.Call(ctx, Request{Name: "setJobTypeAttributes", Method: "PUT", Path: "/v1/job-types/" + url.PathEscape(jobType) + "/attributes", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// PinBuildsQuery is the query of PinBuilds; zero fields are not sent.
type PinBuildsQuery struct {
	// Tenant (default: the key's tenant, or all tenants).
	Tenant string
}

// PinBuilds: Pin a job type to builds.
// From the next claim on, only workers that poll with one of these builds receive its jobs. While there is no such
// worker, the jobs wait; leased jobs are not affected. A tenant's own pin takes precedence over the pin for all
// tenants.
//
// Action `builds.pin`: requires role `admin` or `operator`.
func (c *Calls) PinBuilds(ctx context.Context, jobType string, body BuildPinRequest, query PinBuildsQuery, options ...Option) (BuildPin, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out BuildPin
	err := c.transport.Call(ctx, Request{Name: "pinBuilds", Method: "PUT", Path: "/v1/job-types/" + url.PathEscape(jobType) + "/builds", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// UnpinBuildsQuery is the query of UnpinBuilds; zero fields are not sent.
type UnpinBuildsQuery struct {
	// Tenant (default: the key's tenant, or all tenants).
	Tenant string
}

// UnpinBuilds: Unpin a job type.
// From the next claim on, any worker that polls for the job type receives its jobs.
//
// Action `builds.pin`: requires role `admin` or `operator`.
func (c *Calls) UnpinBuilds(ctx context.Context, jobType string, query UnpinBuildsQuery, options ...Option) error {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	return c.transport.Call(ctx, Request{Name: "unpinBuilds", Method: "DELETE", Path: "/v1/job-types/" + url.PathEscape(jobType) + "/builds", Keyed: true, Query: values}, nil, options...)
}

// GetJobTypeLimitsQuery is the query of GetJobTypeLimits; zero fields are not sent.
type GetJobTypeLimitsQuery struct {
	// Tenant whose jobs the limits apply to (default: all tenants together).
	Tenant string
}

// GetJobTypeLimits: Show the limits of a job type.
// With `tenant`, the limits of the tenant's jobs of this type; otherwise the limits across all tenants.
//
// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetJobTypeLimits(ctx context.Context, jobType string, query GetJobTypeLimitsQuery, options ...Option) (map[string]QueueLimits, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "getJobTypeLimits", Method: "GET", Path: "/v1/job-types/" + url.PathEscape(jobType) + "/limits", Query: values}, &out, options...)
	return out, err
}

// SetJobTypeLimitsQuery is the query of SetJobTypeLimits; zero fields are not sent.
type SetJobTypeLimitsQuery struct {
	// Tenant whose jobs the limits apply to (default: all tenants together).
	Tenant string
}

// SetJobTypeLimits: Change the limits of a job type.
// With `tenant`, the limits apply to the tenant's jobs of this type; otherwise across all tenants. If both are set,
// both apply. Job types have limits on `workflow-node` only.
//
// Action `limits.set`: requires role `admin` or `operator`.
func (c *Calls) SetJobTypeLimits(ctx context.Context, jobType string, body map[string]LimitChanges, query SetJobTypeLimitsQuery, options ...Option) (map[string]QueueLimits, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "setJobTypeLimits", Method: "PUT", Path: "/v1/job-types/" + url.PathEscape(jobType) + "/limits", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// ListJobsQuery is the query of ListJobs; zero fields are not sent.
type ListJobsQuery struct {
	// One of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook. Several values are separated by commas.
	Queue string
	// One of SCHEDULED, QUEUED, PROCESSING, WAITING, RETRY_WAIT, COMPLETED, FAILED, DEAD_LETTER, CANCELLED. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	JobType string
	// Exact match. Several values are separated by commas.
	Workflow string
	// Exact match. Several values are separated by commas.
	Tenant string
	// One of high, normal, low. Several values are separated by commas.
	Priority string
	// Exact match. Several values are separated by commas.
	Tag string
	// Exact match. Several values are separated by commas.
	Fingerprint string
	// Exact match. Several values are separated by commas.
	WorkerID string
	// ID: `exe_` and 32 hexadecimal digits.
	ExecutionID string
	// Exact match.
	NodeID string
	// ID: `sch_` and 32 hexadecimal digits.
	ScheduleID string
	// ID: `dlv_` and 32 hexadecimal digits.
	DeliveryID string
	// Exact match.
	UniqueKey string
	// Exact match.
	ConcurrencyKey string
	// Exact match.
	RateKey string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	RunAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	RunBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ProcessedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ProcessedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CompletedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CompletedBefore string
	// Same as `createdAfter`.
	From string
	// Same as `createdBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: created, run, processed, completed (default `created`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListJobs: List jobs, newest first.
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListJobs(ctx context.Context, query ListJobsQuery, options ...Option) (Page[Job], error) {
	values := url.Values{}
	if query.Queue != "" {
		values.Set("queue", string(query.Queue))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.JobType != "" {
		values.Set("jobType", string(query.JobType))
	}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Priority != "" {
		values.Set("priority", string(query.Priority))
	}
	if query.Tag != "" {
		values.Set("tag", string(query.Tag))
	}
	if query.Fingerprint != "" {
		values.Set("fingerprint", string(query.Fingerprint))
	}
	if query.WorkerID != "" {
		values.Set("workerId", string(query.WorkerID))
	}
	if query.ExecutionID != "" {
		values.Set("executionId", string(query.ExecutionID))
	}
	if query.NodeID != "" {
		values.Set("nodeId", string(query.NodeID))
	}
	if query.ScheduleID != "" {
		values.Set("scheduleId", string(query.ScheduleID))
	}
	if query.DeliveryID != "" {
		values.Set("deliveryId", string(query.DeliveryID))
	}
	if query.UniqueKey != "" {
		values.Set("uniqueKey", string(query.UniqueKey))
	}
	if query.ConcurrencyKey != "" {
		values.Set("concurrencyKey", string(query.ConcurrencyKey))
	}
	if query.RateKey != "" {
		values.Set("rateKey", string(query.RateKey))
	}
	if query.CreatedAfter != "" {
		values.Set("createdAfter", string(query.CreatedAfter))
	}
	if query.CreatedBefore != "" {
		values.Set("createdBefore", string(query.CreatedBefore))
	}
	if query.RunAfter != "" {
		values.Set("runAfter", string(query.RunAfter))
	}
	if query.RunBefore != "" {
		values.Set("runBefore", string(query.RunBefore))
	}
	if query.ProcessedAfter != "" {
		values.Set("processedAfter", string(query.ProcessedAfter))
	}
	if query.ProcessedBefore != "" {
		values.Set("processedBefore", string(query.ProcessedBefore))
	}
	if query.CompletedAfter != "" {
		values.Set("completedAfter", string(query.CompletedAfter))
	}
	if query.CompletedBefore != "" {
		values.Set("completedBefore", string(query.CompletedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Job]
	err := c.transport.Call(ctx, Request{Name: "listJobs", Method: "GET", Path: "/v1/jobs", Query: values}, &out, options...)
	return out, err
}

// EnqueueJob: Enqueue a job.
// The job is queued on `workflow-node` until a worker that polls for its type claims it. A 202 means that it is stored
// durably.
//
// Action `jobs.enqueue`: requires role `admin`, `operator` or `client`.
func (c *Calls) EnqueueJob(ctx context.Context, body JobRequest, options ...Option) (Enqueued, error) {
	var out Enqueued
	err := c.transport.Call(ctx, Request{Name: "enqueueJob", Method: "POST", Path: "/v1/jobs", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// AcceptJobs: Accept jobs from Kafka.
// Starts the leases of jobs that were received from Kafka, one call per fetch. `taken` means a duplicate: another
// worker has the job, and this worker must not run it. Reports carry the `leaseToken` of the response.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) AcceptJobs(ctx context.Context, body Acceptances, options ...Option) (AcceptedJobs, error) {
	var out AcceptedJobs
	err := c.transport.Call(ctx, Request{Name: "acceptJobs", Method: "POST", Path: "/v1/jobs/accept", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// EnqueueJobs: Enqueue many jobs in one commit.
// Atomic, unless `partial` is true: then valid jobs are accepted and each invalid one has its error in the
// results.
//
// Action `jobs.enqueue`: requires role `admin`, `operator` or `client`.
func (c *Calls) EnqueueJobs(ctx context.Context, body JobBatch, options ...Option) (BatchResults[BatchResultEnqueued], error) {
	var out BatchResults[BatchResultEnqueued]
	err := c.transport.Call(ctx, Request{Name: "enqueueJobs", Method: "POST", Path: "/v1/jobs/batch", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// CancelJobs: Cancel many jobs.
// Action `jobs.cancel`: requires role `admin`, `operator` or `client`.
func (c *Calls) CancelJobs(ctx context.Context, body BulkOperationRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "cancelJobs", Method: "POST", Path: "/v1/jobs/cancel", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// CompleteJobs: Complete jobs.
// Each job has its own outcome: a result that is too large is `rejected` with a reason, and the other jobs complete.
// With `poll`, the response also carries the next jobs.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) CompleteJobs(ctx context.Context, body Settlements[Completion], options ...Option) (Outcomes, error) {
	var out Outcomes
	err := c.transport.Call(ctx, Request{Name: "completeJobs", Method: "POST", Path: "/v1/jobs/complete", Body: body}, &out, options...)
	return out, err
}

// FailJobs: Fail jobs.
// Each job is retried after its backoff, or becomes a dead letter if it has no retries left or is not `retryable`.
// With `poll`, the response also carries the next jobs.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) FailJobs(ctx context.Context, body Settlements[Failure], options ...Option) (Outcomes, error) {
	var out Outcomes
	err := c.transport.Call(ctx, Request{Name: "failJobs", Method: "POST", Path: "/v1/jobs/fail", Body: body}, &out, options...)
	return out, err
}

// HeartbeatJobs: Renew leases.
// `cancelled` and `lease_lost` mean that this worker no longer owns the job; its handler should stop.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) HeartbeatJobs(ctx context.Context, body Reports[Heartbeat], options ...Option) (Outcomes, error) {
	var out Outcomes
	err := c.transport.Call(ctx, Request{Name: "heartbeatJobs", Method: "POST", Path: "/v1/jobs/heartbeat", Body: body}, &out, options...)
	return out, err
}

// LogJobs: Add log lines to leased jobs.
// Each attempt keeps at most 1,000 lines and 256 KiB; one more line says how many were dropped. 429 `quota_exceeded` if
// the tenants of all lines have reached their quota `logBytes`; if only some have, their lines are dropped.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) LogJobs(ctx context.Context, body Reports[JobLines], options ...Option) (Outcomes, error) {
	var out Outcomes
	err := c.transport.Call(ctx, Request{Name: "logJobs", Method: "POST", Path: "/v1/jobs/logs", Body: body}, &out, options...)
	return out, err
}

// PollJobs: Poll for jobs.
// Leases up to `maxJobs` jobs of the given types to the worker. With `wait`, the request blocks until a job is
// available. A worker that is being drained receives no jobs, and `drain` is true.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) PollJobs(ctx context.Context, body Poll, options ...Option) (PolledJobs, error) {
	var out PolledJobs
	err := c.transport.Call(ctx, Request{Name: "pollJobs", Method: "POST", Path: "/v1/jobs/poll", Body: body}, &out, options...)
	return out, err
}

// ReleaseJobs: Release jobs.
// The jobs return to their queue without consuming an attempt, immediately or after `delay`. Reported progress is
// passed to the next attempt.
//
// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
func (c *Calls) ReleaseJobs(ctx context.Context, body Reports[Release], options ...Option) (Outcomes, error) {
	var out Outcomes
	err := c.transport.Call(ctx, Request{Name: "releaseJobs", Method: "POST", Path: "/v1/jobs/release", Body: body}, &out, options...)
	return out, err
}

// ReprioritizeJobs: Change the priority of many waiting jobs.
// Action `jobs.reprioritize`: requires role `admin`, `operator` or `client`.
func (c *Calls) ReprioritizeJobs(ctx context.Context, body BulkReprioritizeRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "reprioritizeJobs", Method: "POST", Path: "/v1/jobs/reprioritize", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RetryJobs: Make many waiting jobs due now.
// Action `jobs.retry`: requires role `admin`, `operator` or `client`.
func (c *Calls) RetryJobs(ctx context.Context, body BulkOperationRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "retryJobs", Method: "POST", Path: "/v1/jobs/retry", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetJobQuery is the query of GetJob; zero fields are not sent.
type GetJobQuery struct {
	// Whether to delay the response until the end or the timeout.
	Wait *bool
	// Timeout of `wait`, up to 60 s (default 30 s).
	Timeout string
	// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
	// maximum).
	MaxPayload int32
}

// GetJob: Show a job with its attempts.
// With `wait`, the response is delayed until the job ends or the timeout expires.
//
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetJob(ctx context.Context, id string, query GetJobQuery, options ...Option) (Job, error) {
	values := url.Values{}
	if query.Wait != nil {
		values.Set("wait", strconv.FormatBool(*query.Wait))
	}
	if query.Timeout != "" {
		values.Set("timeout", string(query.Timeout))
	}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out Job
	err := c.transport.Call(ctx, Request{Name: "getJob", Method: "GET", Path: "/v1/jobs/" + url.PathEscape(id), Query: values}, &out, options...)
	return out, err
}

// CancelJob: Cancel a job.
// A running job loses its lease immediately. Cancelling the job of an execution cancels the execution.
//
// Action `jobs.cancel`: requires role `admin`, `operator` or `client`.
func (c *Calls) CancelJob(ctx context.Context, id string, options ...Option) (JobChange, error) {
	var out JobChange
	err := c.transport.Call(ctx, Request{Name: "cancelJob", Method: "POST", Path: "/v1/jobs/" + url.PathEscape(id) + "/cancel", Keyed: true}, &out, options...)
	return out, err
}

// GetJobData: Get the data of a job.
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetJobData(ctx context.Context, id string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getJobData", Method: "GET", Path: "/v1/jobs/" + url.PathEscape(id) + "/data"}, &out, options...)
	return out, err
}

// ListJobLogsQuery is the query of ListJobLogs; zero fields are not sent.
type ListJobLogsQuery struct {
	// Filter by attempt.
	Attempt int32
	// Lowest level.
	Level string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListJobLogs: List the log lines of a job.
// Returns the lines of all attempts in order. Log lines are deleted after `retention.logs`, regardless of the job.
//
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListJobLogs(ctx context.Context, id string, query ListJobLogsQuery, options ...Option) (Page[StoredLogLine], error) {
	values := url.Values{}
	if query.Attempt != 0 {
		values.Set("attempt", strconv.FormatInt(int64(query.Attempt), 10))
	}
	if query.Level != "" {
		values.Set("level", string(query.Level))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[StoredLogLine]
	err := c.transport.Call(ctx, Request{Name: "listJobLogs", Method: "GET", Path: "/v1/jobs/" + url.PathEscape(id) + "/logs", Query: values}, &out, options...)
	return out, err
}

// ReprioritizeJob: Change the priority of a waiting job.
// Action `jobs.reprioritize`: requires role `admin`, `operator` or `client`.
func (c *Calls) ReprioritizeJob(ctx context.Context, id string, body ReprioritizeRequest, options ...Option) (JobChange, error) {
	var out JobChange
	err := c.transport.Call(ctx, Request{Name: "reprioritizeJob", Method: "POST", Path: "/v1/jobs/" + url.PathEscape(id) + "/reprioritize", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetJobResult: Get the result of a job.
// `null` until it completes.
//
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetJobResult(ctx context.Context, id string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getJobResult", Method: "GET", Path: "/v1/jobs/" + url.PathEscape(id) + "/result"}, &out, options...)
	return out, err
}

// RetryJob: Make a job due now.
// A job that waits for its due time or its next retry becomes due immediately.
//
// Action `jobs.retry`: requires role `admin`, `operator` or `client`.
func (c *Calls) RetryJob(ctx context.Context, id string, options ...Option) (JobChange, error) {
	var out JobChange
	err := c.transport.Call(ctx, Request{Name: "retryJob", Method: "POST", Path: "/v1/jobs/" + url.PathEscape(id) + "/retry", Keyed: true}, &out, options...)
	return out, err
}

// WhyJob: Explain why a job is not running.
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) WhyJob(ctx context.Context, id string, options ...Option) (Why, error) {
	var out Why
	err := c.transport.Call(ctx, Request{Name: "whyJob", Method: "GET", Path: "/v1/jobs/" + url.PathEscape(id) + "/why"}, &out, options...)
	return out, err
}

// GetLimits: Show the limits of the queues.
// Includes the values set for individual tenants, workflows and job types.
//
// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetLimits(ctx context.Context, options ...Option) (map[string]QueueLimits, error) {
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "getLimits", Method: "GET", Path: "/v1/limits"}, &out, options...)
	return out, err
}

// SetLimits: Change the limits of the queues.
// The limits apply to every claim that starts after the response.
//
// Action `limits.set`: requires role `admin` or `operator`.
func (c *Calls) SetLimits(ctx context.Context, body map[string]LimitChanges, options ...Option) (map[string]QueueLimits, error) {
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "setLimits", Method: "PUT", Path: "/v1/limits", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ReadMe: Show the caller, its rights, and the server.
// `can` lists the actions that the role and scopes allow on at least one object; scopes may restrict an action to
// certain names. For sessions of a read-only console, it lists only actions that change nothing.
//
// Any valid API key may make this call.
func (c *Calls) ReadMe(ctx context.Context, options ...Option) (Me, error) {
	var out Me
	err := c.transport.Call(ctx, Request{Name: "readMe", Method: "GET", Path: "/v1/me"}, &out, options...)
	return out, err
}

// StartMove: Move the store to another database.
// Copies the SQLite database of the server to an empty PostgreSQL database and continues on it. The server accepts and
// runs work during the copy, and pauses only while the last changes are copied; calls then get 503 with `Retry-After`.
// Until then the old database is in use; afterwards it is read-only. Requires a key that is not bound to a tenant.
// Servers on PostgreSQL return 409 `move_unsupported`.
//
// Action `moves.start`: requires role `admin`.
func (c *Calls) StartMove(ctx context.Context, body MoveRequest, options ...Option) (Move, error) {
	var out Move
	err := c.transport.Call(ctx, Request{Name: "startMove", Method: "POST", Path: "/v1/moves", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// LastMove: Get the last move.
// Returns the move that was last requested from this process, finished or not. Requires a key that is not bound to a
// tenant.
//
// Action `moves.read`: requires role `admin`.
func (c *Calls) LastMove(ctx context.Context, options ...Option) (Move, error) {
	var out Move
	err := c.transport.Call(ctx, Request{Name: "lastMove", Method: "GET", Path: "/v1/moves/last"}, &out, options...)
	return out, err
}

// AbortMove: Abort the move.
// The server keeps its database, and the target can be used for another move. Errors: 409 `move_finishing` while the
// last changes are copied, 409 `move_not_running` if no move is in progress. Requires a key that is not bound to a
// tenant.
//
// Action `moves.start`: requires role `admin`.
func (c *Calls) AbortMove(ctx context.Context, options ...Option) (Move, error) {
	var out Move
	err := c.transport.Call(ctx, Request{Name: "abortMove", Method: "POST", Path: "/v1/moves/last/abort", Keyed: true}, &out, options...)
	return out, err
}

// ListQueues: List queues with their statistics.
// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListQueues(ctx context.Context, options ...Option) (Page[Queue], error) {
	var out Page[Queue]
	err := c.transport.Call(ctx, Request{Name: "listQueues", Method: "GET", Path: "/v1/queues"}, &out, options...)
	return out, err
}

// GetQueue: Show a queue with its statistics.
// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetQueue(ctx context.Context, queue string, options ...Option) (Queue, error) {
	var out Queue
	err := c.transport.Call(ctx, Request{Name: "getQueue", Method: "GET", Path: "/v1/queues/" + url.PathEscape(queue)}, &out, options...)
	return out, err
}

// DrainQueue: Drain a queue.
// Finishes queued jobs and rejects new ones from callers until the queue is resumed.
//
// Action `queues.operate`: requires role `admin` or `operator`.
func (c *Calls) DrainQueue(ctx context.Context, queue string, options ...Option) (QueueMode, error) {
	var out QueueMode
	err := c.transport.Call(ctx, Request{Name: "drainQueue", Method: "POST", Path: "/v1/queues/" + url.PathEscape(queue) + "/drain", Keyed: true}, &out, options...)
	return out, err
}

// PauseQueue: Pause a queue.
// No jobs start until the queue is resumed. New jobs are accepted.
//
// Action `queues.operate`: requires role `admin` or `operator`.
func (c *Calls) PauseQueue(ctx context.Context, queue string, options ...Option) (QueueMode, error) {
	var out QueueMode
	err := c.transport.Call(ctx, Request{Name: "pauseQueue", Method: "POST", Path: "/v1/queues/" + url.PathEscape(queue) + "/pause", Keyed: true}, &out, options...)
	return out, err
}

// ResumeQueue: Resume a queue.
// Action `queues.operate`: requires role `admin` or `operator`.
func (c *Calls) ResumeQueue(ctx context.Context, queue string, options ...Option) (QueueMode, error) {
	var out QueueMode
	err := c.transport.Call(ctx, Request{Name: "resumeQueue", Method: "POST", Path: "/v1/queues/" + url.PathEscape(queue) + "/resume", Keyed: true}, &out, options...)
	return out, err
}

// QueueScalingQuery is the query of QueueScaling; zero fields are not sent.
type QueueScalingQuery struct {
	// Job types, separated by commas (default: all).
	JobType string
	// Tenant, for keys that are not bound to a tenant.
	Tenant string
}

// QueueScaling: Show how many workers a queue could use.
// For autoscalers: `desired` is the number of slots that could be busy now. Jobs held back by a limit or a pause do
// not count. All nodes return the same figures, read from the database and at most one second old.
//
// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) QueueScaling(ctx context.Context, queue string, query QueueScalingQuery, options ...Option) (QueueScaling, error) {
	values := url.Values{}
	if query.JobType != "" {
		values.Set("jobType", string(query.JobType))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out QueueScaling
	err := c.transport.Call(ctx, Request{Name: "queueScaling", Method: "GET", Path: "/v1/queues/" + url.PathEscape(queue) + "/scaling", Query: values}, &out, options...)
	return out, err
}

// ListRatesQuery is the query of ListRates; zero fields are not sent.
type ListRatesQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// ListRates: List the rates of rate keys.
// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListRates(ctx context.Context, query ListRatesQuery, options ...Option) (KeyRates, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out KeyRates
	err := c.transport.Call(ctx, Request{Name: "listRates", Method: "GET", Path: "/v1/rates", Query: values}, &out, options...)
	return out, err
}

// SetRateQuery is the query of SetRate; zero fields are not sent.
type SetRateQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// SetRate: Set the rate of a rate key.
// From the next claim on, the rate applies to starts of jobs with this `rateKey`. A key that ends in `*` is a prefix:
// the rate applies to each matching key separately, and the longest match wins.
//
// Action `limits.set`: requires role `admin` or `operator`.
func (c *Calls) SetRate(ctx context.Context, key string, body KeyRateRequest, query SetRateQuery, options ...Option) (KeyRate, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out KeyRate
	err := c.transport.Call(ctx, Request{Name: "setRate", Method: "PUT", Path: "/v1/rates/" + url.PathEscape(key), Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// DeleteRateQuery is the query of DeleteRate; zero fields are not sent.
type DeleteRateQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// DeleteRate: Delete the rate of a rate key.
// From the next claim on, it no longer limits jobs with this `rateKey`.
//
// Action `limits.set`: requires role `admin` or `operator`.
func (c *Calls) DeleteRate(ctx context.Context, key string, query DeleteRateQuery, options ...Option) error {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	return c.transport.Call(ctx, Request{Name: "deleteRate", Method: "DELETE", Path: "/v1/rates/" + url.PathEscape(key), Keyed: true, Query: values}, nil, options...)
}

// GetRetention: Show the retention.
// Applies to tenants without their own times. `effective` shows the times that apply: times set here are rounded up to
// 1, 6 or 12 hours, 1, 2, 3, 7, 14, 30, 60, 90 or 180 days, or 1, 2 or 10 years.
//
// Action `retention.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetRetention(ctx context.Context, options ...Option) (Retention, error) {
	var out Retention
	err := c.transport.Call(ctx, Request{Name: "getRetention", Method: "GET", Path: "/v1/retention"}, &out, options...)
	return out, err
}

// SetRetention: Change the retention.
// Absent fields keep their value; null restores the value from the settings. Requires role `admin` and a key that is
// not bound to a tenant.
//
// Action `retention.set`: requires role `admin`.
func (c *Calls) SetRetention(ctx context.Context, body RetentionRequest, options ...Option) (Retention, error) {
	var out Retention
	err := c.transport.Call(ctx, Request{Name: "setRetention", Method: "PUT", Path: "/v1/retention", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListSchedulesQuery is the query of ListSchedules; zero fields are not sent.
type ListSchedulesQuery struct {
	// Exact match. Several values are separated by commas.
	Workflow string
	// Exact match. Several values are separated by commas.
	Tenant string
	// One of true, false.
	Paused string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	CreatedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	NextRunAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	NextRunBefore string
	// Same as `createdAfter`.
	From string
	// Same as `createdBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: created, nextRun (default `created`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListSchedules: List schedules, newest first.
// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListSchedules(ctx context.Context, query ListSchedulesQuery, options ...Option) (Page[Schedule], error) {
	values := url.Values{}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Paused != "" {
		values.Set("paused", string(query.Paused))
	}
	if query.CreatedAfter != "" {
		values.Set("createdAfter", string(query.CreatedAfter))
	}
	if query.CreatedBefore != "" {
		values.Set("createdBefore", string(query.CreatedBefore))
	}
	if query.NextRunAfter != "" {
		values.Set("nextRunAfter", string(query.NextRunAfter))
	}
	if query.NextRunBefore != "" {
		values.Set("nextRunBefore", string(query.NextRunBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Schedule]
	err := c.transport.Call(ctx, Request{Name: "listSchedules", Method: "GET", Path: "/v1/schedules", Query: values}, &out, options...)
	return out, err
}

// CreateSchedule: Create a schedule.
// The schedule fires from now on. An invalid expression is reported at `/cron`, with the expected format.
//
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) CreateSchedule(ctx context.Context, body ScheduleRequest, options ...Option) (Schedule, error) {
	var out Schedule
	err := c.transport.Call(ctx, Request{Name: "createSchedule", Method: "POST", Path: "/v1/schedules", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// PauseSchedules: Pause many schedules.
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) PauseSchedules(ctx context.Context, body BulkOperationRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "pauseSchedules", Method: "POST", Path: "/v1/schedules/pause", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// PreviewCron: Preview a cron expression or an interval.
// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) PreviewCron(ctx context.Context, body PreviewRequest, options ...Option) (Preview, error) {
	var out Preview
	err := c.transport.Call(ctx, Request{Name: "previewCron", Method: "POST", Path: "/v1/schedules/preview", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ResumeSchedules: Resume many schedules.
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) ResumeSchedules(ctx context.Context, body BulkOperationRequest, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "resumeSchedules", Method: "POST", Path: "/v1/schedules/resume", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetSchedule: Show a schedule.
// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetSchedule(ctx context.Context, id string, options ...Option) (Schedule, error) {
	var out Schedule
	err := c.transport.Call(ctx, Request{Name: "getSchedule", Method: "GET", Path: "/v1/schedules/" + url.PathEscape(id)}, &out, options...)
	return out, err
}

// ReplaceSchedule: Replace a schedule.
// ID and history are kept. Past fires do not run, and a waiting fire is skipped.
//
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) ReplaceSchedule(ctx context.Context, id string, body ScheduleRequest, options ...Option) (Schedule, error) {
	var out Schedule
	err := c.transport.Call(ctx, Request{Name: "replaceSchedule", Method: "PUT", Path: "/v1/schedules/" + url.PathEscape(id), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteSchedule: Delete a schedule and its history.
// Its executions are kept.
//
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) DeleteSchedule(ctx context.Context, id string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteSchedule", Method: "DELETE", Path: "/v1/schedules/" + url.PathEscape(id), Keyed: true}, nil, options...)
}

// BackfillSchedule: Backfill a past time range.
// Starts an execution for each fire time in the range that is not in the history yet.
//
// Action `schedules.run`: requires role `admin` or `operator`.
func (c *Calls) BackfillSchedule(ctx context.Context, id string, body BackfillRequest, options ...Option) (Backfill, error) {
	var out Backfill
	err := c.transport.Call(ctx, Request{Name: "backfillSchedule", Method: "POST", Path: "/v1/schedules/" + url.PathEscape(id) + "/backfill", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// PauseSchedule: Pause a schedule.
// Fire times that pass while it is paused never run, and a waiting fire is skipped. Running executions continue.
//
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) PauseSchedule(ctx context.Context, id string, options ...Option) (Schedule, error) {
	var out Schedule
	err := c.transport.Call(ctx, Request{Name: "pauseSchedule", Method: "POST", Path: "/v1/schedules/" + url.PathEscape(id) + "/pause", Keyed: true}, &out, options...)
	return out, err
}

// PreviewScheduleQuery is the query of PreviewSchedule; zero fields are not sent.
type PreviewScheduleQuery struct {
	// Number of fires, 1 to 1000 (default 5).
	Count int32
}

// PreviewSchedule: Preview a schedule.
// Respects the bounds of the schedule; a paused one is previewed as if it were resumed now.
//
// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) PreviewSchedule(ctx context.Context, id string, query PreviewScheduleQuery, options ...Option) (Preview, error) {
	values := url.Values{}
	if query.Count != 0 {
		values.Set("count", strconv.FormatInt(int64(query.Count), 10))
	}
	var out Preview
	err := c.transport.Call(ctx, Request{Name: "previewSchedule", Method: "GET", Path: "/v1/schedules/" + url.PathEscape(id) + "/preview", Query: values}, &out, options...)
	return out, err
}

// ResumeSchedule: Resume a schedule.
// The schedule fires from now on.
//
// Action `schedules.write`: requires role `admin` or `operator`.
func (c *Calls) ResumeSchedule(ctx context.Context, id string, options ...Option) (Schedule, error) {
	var out Schedule
	err := c.transport.Call(ctx, Request{Name: "resumeSchedule", Method: "POST", Path: "/v1/schedules/" + url.PathEscape(id) + "/resume", Keyed: true}, &out, options...)
	return out, err
}

// RunSchedule: Start an execution of a schedule now.
// Ignores the overlap policy, and works while the schedule is paused.
//
// Action `schedules.run`: requires role `admin` or `operator`.
func (c *Calls) RunSchedule(ctx context.Context, id string, options ...Option) (ManualRun, error) {
	var out ManualRun
	err := c.transport.Call(ctx, Request{Name: "runSchedule", Method: "POST", Path: "/v1/schedules/" + url.PathEscape(id) + "/run", Keyed: true}, &out, options...)
	return out, err
}

// ListScheduleRunsQuery is the query of ListScheduleRuns; zero fields are not sent.
type ListScheduleRunsQuery struct {
	// One of fired, waiting, skipped. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	Reason string
	// Exact match. Several values are separated by commas.
	SkipReason string
	// ID: `exe_` and 32 hexadecimal digits.
	ExecutionID string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ScheduledAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ScheduledBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	FiredAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	FiredBefore string
	// Same as `scheduledAfter`.
	From string
	// Same as `scheduledBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: scheduled, fired (default `scheduled`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListScheduleRuns: List the fires of a schedule and their outcomes, latest first.
// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListScheduleRuns(ctx context.Context, id string, query ListScheduleRunsQuery, options ...Option) (Page[ScheduleRun], error) {
	values := url.Values{}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Reason != "" {
		values.Set("reason", string(query.Reason))
	}
	if query.SkipReason != "" {
		values.Set("skipReason", string(query.SkipReason))
	}
	if query.ExecutionID != "" {
		values.Set("executionId", string(query.ExecutionID))
	}
	if query.ScheduledAfter != "" {
		values.Set("scheduledAfter", string(query.ScheduledAfter))
	}
	if query.ScheduledBefore != "" {
		values.Set("scheduledBefore", string(query.ScheduledBefore))
	}
	if query.FiredAfter != "" {
		values.Set("firedAfter", string(query.FiredAfter))
	}
	if query.FiredBefore != "" {
		values.Set("firedBefore", string(query.FiredBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[ScheduleRun]
	err := c.transport.Call(ctx, Request{Name: "listScheduleRuns", Method: "GET", Path: "/v1/schedules/" + url.PathEscape(id) + "/runs", Query: values}, &out, options...)
	return out, err
}

// SuggestQuery is the query of Suggest; zero fields are not sent.
type SuggestQuery struct {
	// The list, as in its path: `jobs`, `executions`, `dead-letters`, `archive`, `deliveries`, `schedules`.
	List string
	// The query as typed so far.
	Q string
	// Position of the text cursor in the query, in characters from 0 (default: the end).
	At int32
	// Maximum number of completions, 1 to 20 (default 10).
	Limit int32
}

// Suggest: Complete a query.
// Suggests keys, keywords, instants, and values of the last 7 days: workflows, job types, tenants, tags, workers,
// event types, fingerprints.
//
// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) Suggest(ctx context.Context, query SuggestQuery, options ...Option) (Suggestions, error) {
	values := url.Values{}
	if query.List != "" {
		values.Set("list", string(query.List))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.At != 0 {
		values.Set("at", strconv.FormatInt(int64(query.At), 10))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	var out Suggestions
	err := c.transport.Call(ctx, Request{Name: "suggest", Method: "GET", Path: "/v1/search/suggest", Query: values}, &out, options...)
	return out, err
}

// ListServers: List the processes of the deployment.
// Lists processes seen within the last minute, in the order in which they started. Requires a key that is not bound to
// a tenant.
//
// Action `servers.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListServers(ctx context.Context, options ...Option) (Page[Server], error) {
	var out Page[Server]
	err := c.transport.Call(ctx, Request{Name: "listServers", Method: "GET", Path: "/v1/servers"}, &out, options...)
	return out, err
}

// ReadSession: Show the current caller.
// Role and tenant of the caller; for a session also its CSRF token and expiry.
//
// Any valid API key may make this call.
func (c *Calls) ReadSession(ctx context.Context, options ...Option) (Session, error) {
	var out Session
	err := c.transport.Call(ctx, Request{Name: "readSession", Method: "GET", Path: "/v1/session"}, &out, options...)
	return out, err
}

// CreateSession: Sign in to the console.
// Creates a session for the API key of this request. The response sets an `HttpOnly`, `SameSite=Strict` cookie that
// authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
// that modify data must also send the `csrfToken` of the response in the header `X-CSRF-Token`.
//
// Any valid API key may make this call.
func (c *Calls) CreateSession(ctx context.Context, options ...Option) (Session, error) {
	var out Session
	err := c.transport.Call(ctx, Request{Name: "createSession", Method: "POST", Path: "/v1/session"}, &out, options...)
	return out, err
}

// DeleteSession: Sign out.
// Removes the session cookie. A copied cookie stays valid until it expires or its key is revoked.
//
// Any valid API key may make this call.
func (c *Calls) DeleteSession(ctx context.Context, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteSession", Method: "DELETE", Path: "/v1/session"}, nil, options...)
}

// GetStatsQuery is the query of GetStats; zero fields are not sent.
type GetStatsQuery struct {
	// Queue.
	Queue string
	// Priority.
	Priority string
	// Name of the tenant.
	Tenant string
	// Name of the workflow.
	Workflow string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-6h` (default: one hour before
	// `to`, or one day with step `1h`).
	From string
	// Before this instant, in the same formats (default: now).
	To string
	// `1m` (default; kept for a day) or `1h` (kept for 30 days).
	Step string
}

// GetStats: Show queue figures over time.
// Returns throughput, failures, backlog, and percentiles of wait, run and end-to-end times, by minute or hour. Figures are at
// most 15 seconds behind. Returns up to 1,500 points.
//
// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetStats(ctx context.Context, query GetStatsQuery, options ...Option) (Stats, error) {
	values := url.Values{}
	if query.Queue != "" {
		values.Set("queue", string(query.Queue))
	}
	if query.Priority != "" {
		values.Set("priority", string(query.Priority))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Step != "" {
		values.Set("step", string(query.Step))
	}
	var out Stats
	err := c.transport.Call(ctx, Request{Name: "getStats", Method: "GET", Path: "/v1/stats", Query: values}, &out, options...)
	return out, err
}

// ListTenantsQuery is the query of ListTenants; zero fields are not sent.
type ListTenantsQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListTenants: List tenants by name.
// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListTenants(ctx context.Context, query ListTenantsQuery, options ...Option) (Page[Tenant], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Tenant]
	err := c.transport.Call(ctx, Request{Name: "listTenants", Method: "GET", Path: "/v1/tenants", Query: values}, &out, options...)
	return out, err
}

// CreateTenant: Create a tenant.
// A tenant is also created when a key that is not bound to a tenant first uses it.
//
// Action `tenants.create`: requires role `admin`.
func (c *Calls) CreateTenant(ctx context.Context, body TenantRequest, options ...Option) (Tenant, error) {
	var out Tenant
	err := c.transport.Call(ctx, Request{Name: "createTenant", Method: "POST", Path: "/v1/tenants", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetTenantAttributes: Show the searchable attributes of a tenant.
// Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetTenantAttributes(ctx context.Context, tenant string, options ...Option) (map[string]Attribute, error) {
	var out map[string]Attribute
	err := c.transport.Call(ctx, Request{Name: "getTenantAttributes", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/attributes"}, &out, options...)
	return out, err
}

// SetTenantAttributes: Declare searchable attributes of a tenant.
// Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs and executions
// created from now on.
//
// Action `attributes.declare`: requires role `admin` or `operator`.
func (c *Calls) SetTenantAttributes(ctx context.Context, tenant string, body map[string]AttributeDeclaration, options ...Option) (map[string]Attribute, error) {
	var out map[string]Attribute
	err := c.transport.Call(ctx, Request{Name: "setTenantAttributes", Method: "PUT", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/attributes", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetTenantEncryption: Show the encryption of a tenant.
// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetTenantEncryption(ctx context.Context, tenant string, options ...Option) (TenantEncryption, error) {
	var out TenantEncryption
	err := c.transport.Call(ctx, Request{Name: "getTenantEncryption", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/encryption"}, &out, options...)
	return out, err
}

// SetTenantEncryption: Enable or disable the encryption of a tenant.
// Applies to payloads that are stored afterwards; other processes follow within a few seconds. Requires `secrets.keys`
// in the settings of all processes. Requires role `admin` and a key that is not bound to a tenant.
//
// Action `tenants.encrypt`: requires role `admin`.
func (c *Calls) SetTenantEncryption(ctx context.Context, tenant string, body EncryptionRequest, options ...Option) (TenantEncryption, error) {
	var out TenantEncryption
	err := c.transport.Call(ctx, Request{Name: "setTenantEncryption", Method: "PUT", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/encryption", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// RotateTenantEncryption: Rotate the key of a tenant.
// New payloads are encrypted with a new key. Earlier keys are kept to decrypt existing payloads. Requires role `admin`
// and a key that is not bound to a tenant.
//
// Action `tenants.encrypt`: requires role `admin`.
func (c *Calls) RotateTenantEncryption(ctx context.Context, tenant string, options ...Option) (TenantEncryption, error) {
	var out TenantEncryption
	err := c.transport.Call(ctx, Request{Name: "rotateTenantEncryption", Method: "POST", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/encryption/rotate", Keyed: true}, &out, options...)
	return out, err
}

// EraseTenant: Erase a tenant.
// Removes its jobs, executions, payloads, dead letters, deliveries, logs, schedules, endpoints, triggers, workflows, keys,
// secrets and settings in the background; audit log entries stay. From now on its keys are invalid and new work is
// rejected with 409 `tenant_erasing`, until the bulk operation is completed (after ten seconds at the earliest);
// `done` counts removed rows. 409 `tenant_in_use` if jobs or executions are open and `cancelOpen` is not set. Requires
// role `admin` and a key that is not bound to a tenant.
//
// Action `tenants.erase`: requires role `admin`.
func (c *Calls) EraseTenant(ctx context.Context, tenant string, body TenantErasure, options ...Option) (Batch, error) {
	var out Batch
	err := c.transport.Call(ctx, Request{Name: "eraseTenant", Method: "POST", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/erase", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetTenantLimits: Show the limits of a tenant.
// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetTenantLimits(ctx context.Context, tenant string, options ...Option) (map[string]QueueLimits, error) {
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "getTenantLimits", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/limits"}, &out, options...)
	return out, err
}

// SetTenantLimits: Change the limits of a tenant.
// Action `limits.set`: requires role `admin` or `operator`.
func (c *Calls) SetTenantLimits(ctx context.Context, tenant string, body map[string]LimitChanges, options ...Option) (map[string]QueueLimits, error) {
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "setTenantLimits", Method: "PUT", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/limits", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetQuotas: Show the quotas of a tenant.
// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetQuotas(ctx context.Context, tenant string, options ...Option) (TenantQuotas, error) {
	var out TenantQuotas
	err := c.transport.Call(ctx, Request{Name: "getQuotas", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/quotas"}, &out, options...)
	return out, err
}

// SetQuotas: Change quotas of a tenant.
// Absent fields keep their value, null restores the default, and `"unlimited"` removes the limit. Other processes
// apply the change within a few seconds. Requires role `admin` and a key that is not bound to a tenant.
//
// Action `tenants.quota`: requires role `admin`.
func (c *Calls) SetQuotas(ctx context.Context, tenant string, body TenantQuotasRequest, options ...Option) (TenantQuotas, error) {
	var out TenantQuotas
	err := c.transport.Call(ctx, Request{Name: "setQuotas", Method: "PUT", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/quotas", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetTenantRetention: Show the retention of a tenant.
// Action `retention.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetTenantRetention(ctx context.Context, tenant string, options ...Option) (Retention, error) {
	var out Retention
	err := c.transport.Call(ctx, Request{Name: "getTenantRetention", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/retention"}, &out, options...)
	return out, err
}

// SetTenantRetention: Change the retention of a tenant.
// Absent fields keep their value; null restores the value for all tenants. `audit` and `alerts` cannot be set for one
// tenant. Requires role `admin` and a key that is not bound to a tenant.
//
// Action `retention.set`: requires role `admin`.
func (c *Calls) SetTenantRetention(ctx context.Context, tenant string, body RetentionRequest, options ...Option) (Retention, error) {
	var out Retention
	err := c.transport.Call(ctx, Request{Name: "setTenantRetention", Method: "PUT", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/retention", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListSecretsQuery is the query of ListSecrets; zero fields are not sent.
type ListSecretsQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListSecrets: List the secrets of a tenant by name.
// Values are never shown.
//
// Action `secrets.read`: requires role `admin` or `operator`.
func (c *Calls) ListSecrets(ctx context.Context, tenant string, query ListSecretsQuery, options ...Option) (Page[Secret], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Secret]
	err := c.transport.Call(ctx, Request{Name: "listSecrets", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/secrets", Query: values}, &out, options...)
	return out, err
}

// PutSecret: Store a secret.
// Replaces a secret of the same name; later requests use the new value. Workflows reference it as `${secrets.name}` in
// the request headers of an `HTTP` node. It is sent only to its allowed hosts, and never appears in jobs, history,
// errors or lists.
//
// Action `secrets.write`: requires role `admin` or `operator`.
func (c *Calls) PutSecret(ctx context.Context, tenant string, name string, body SecretRequest, options ...Option) (Secret, error) {
	var out Secret
	err := c.transport.Call(ctx, Request{Name: "putSecret", Method: "PUT", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/secrets/" + url.PathEscape(name), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteSecret: Delete a secret.
// Later requests that reference it fail.
//
// Action `secrets.write`: requires role `admin` or `operator`.
func (c *Calls) DeleteSecret(ctx context.Context, tenant string, name string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteSecret", Method: "DELETE", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/secrets/" + url.PathEscape(name), Keyed: true}, nil, options...)
}

// GetUsage: Show the usage of a tenant.
// Counted at request time. Requests beyond a quota get 429 `quota_exceeded`; work created by running executions is
// never rejected.
//
// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetUsage(ctx context.Context, tenant string, options ...Option) (TenantUsage, error) {
	var out TenantUsage
	err := c.transport.Call(ctx, Request{Name: "getUsage", Method: "GET", Path: "/v1/tenants/" + url.PathEscape(tenant) + "/usage"}, &out, options...)
	return out, err
}

// ListTriggersQuery is the query of ListTriggers; zero fields are not sent.
type ListTriggersQuery struct {
	// Name of the tenant.
	Tenant string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListTriggers: List triggers of events, newest first.
// Action `triggers.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListTriggers(ctx context.Context, query ListTriggersQuery, options ...Option) (Page[EventTrigger], error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[EventTrigger]
	err := c.transport.Call(ctx, Request{Name: "listTriggers", Method: "GET", Path: "/v1/triggers", Query: values}, &out, options...)
	return out, err
}

// CreateTrigger: Create a trigger.
// From now on, matching events start executions of its workflow.
//
// Action `triggers.write`: requires role `admin` or `operator`.
func (c *Calls) CreateTrigger(ctx context.Context, body EventTriggerRequest, options ...Option) (EventTrigger, error) {
	var out EventTrigger
	err := c.transport.Call(ctx, Request{Name: "createTrigger", Method: "POST", Path: "/v1/triggers", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetTrigger: Show a trigger.
// Action `triggers.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetTrigger(ctx context.Context, id string, options ...Option) (EventTrigger, error) {
	var out EventTrigger
	err := c.transport.Call(ctx, Request{Name: "getTrigger", Method: "GET", Path: "/v1/triggers/" + url.PathEscape(id)}, &out, options...)
	return out, err
}

// ReplaceTrigger: Replace a trigger.
// ID and tenant are kept.
//
// Action `triggers.write`: requires role `admin` or `operator`.
func (c *Calls) ReplaceTrigger(ctx context.Context, id string, body EventTriggerRequest, options ...Option) (EventTrigger, error) {
	var out EventTrigger
	err := c.transport.Call(ctx, Request{Name: "replaceTrigger", Method: "PUT", Path: "/v1/triggers/" + url.PathEscape(id), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteTrigger: Delete a trigger.
// Later events no longer start executions through it. Existing executions are kept.
//
// Action `triggers.write`: requires role `admin` or `operator`.
func (c *Calls) DeleteTrigger(ctx context.Context, id string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteTrigger", Method: "DELETE", Path: "/v1/triggers/" + url.PathEscape(id), Keyed: true}, nil, options...)
}

// ListUserTasksQuery is the query of ListUserTasks; zero fields are not sent.
type ListUserTasksQuery struct {
	// One of open, completed, timed_out, cancelled. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	Group string
	// Exact match. Several values are separated by commas.
	Assignee string
	// Exact match. Several values are separated by commas.
	Workflow string
	// Exact match. Several values are separated by commas.
	Tenant string
	// ID: `exe_` and 32 hexadecimal digits.
	Execution string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	OpenedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	OpenedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	DueAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	DueBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ClosedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ClosedBefore string
	// Same as `openedAfter`.
	From string
	// Same as `openedBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: opened, due, closed (default `opened`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListUserTasks: List user tasks, newest first.
// Lists open tasks if `status` is absent.
//
// Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListUserTasks(ctx context.Context, query ListUserTasksQuery, options ...Option) (Page[UserTask], error) {
	values := url.Values{}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.Group != "" {
		values.Set("group", string(query.Group))
	}
	if query.Assignee != "" {
		values.Set("assignee", string(query.Assignee))
	}
	if query.Workflow != "" {
		values.Set("workflow", string(query.Workflow))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Execution != "" {
		values.Set("execution", string(query.Execution))
	}
	if query.OpenedAfter != "" {
		values.Set("openedAfter", string(query.OpenedAfter))
	}
	if query.OpenedBefore != "" {
		values.Set("openedBefore", string(query.OpenedBefore))
	}
	if query.DueAfter != "" {
		values.Set("dueAfter", string(query.DueAfter))
	}
	if query.DueBefore != "" {
		values.Set("dueBefore", string(query.DueBefore))
	}
	if query.ClosedAfter != "" {
		values.Set("closedAfter", string(query.ClosedAfter))
	}
	if query.ClosedBefore != "" {
		values.Set("closedBefore", string(query.ClosedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[UserTask]
	err := c.transport.Call(ctx, Request{Name: "listUserTasks", Method: "GET", Path: "/v1/user-tasks", Query: values}, &out, options...)
	return out, err
}

// GetUserTaskQuery is the query of GetUserTask; zero fields are not sent.
type GetUserTaskQuery struct {
	// Maximum input size in bytes. A larger input is null and listed in `omitted` with its path (default: no maximum).
	MaxPayload int32
}

// GetUserTask: Show the latest user task of a node.
// Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetUserTask(ctx context.Context, executionId string, nodeId string, query GetUserTaskQuery, options ...Option) (UserTask, error) {
	values := url.Values{}
	if query.MaxPayload != 0 {
		values.Set("maxPayload", strconv.FormatInt(int64(query.MaxPayload), 10))
	}
	var out UserTask
	err := c.transport.Call(ctx, Request{Name: "getUserTask", Method: "GET", Path: "/v1/user-tasks/" + url.PathEscape(executionId) + "/" + url.PathEscape(nodeId), Query: values}, &out, options...)
	return out, err
}

// ClaimUserTask: Claim a user task.
// Prevents others of its group from completing it until it is released or reassigned.
//
// Action `userTasks.claim`: requires role `admin`, `operator` or `client`.
func (c *Calls) ClaimUserTask(ctx context.Context, executionId string, nodeId string, body UserTaskRound, options ...Option) (UserTask, error) {
	var out UserTask
	err := c.transport.Call(ctx, Request{Name: "claimUserTask", Method: "POST", Path: "/v1/user-tasks/" + url.PathEscape(executionId) + "/" + url.PathEscape(nodeId) + "/claim", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetUserTaskInput: Get the input of the latest user task of a node.
// Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetUserTaskInput(ctx context.Context, executionId string, nodeId string, options ...Option) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.transport.Call(ctx, Request{Name: "getUserTaskInput", Method: "GET", Path: "/v1/user-tasks/" + url.PathEscape(executionId) + "/" + url.PathEscape(nodeId) + "/input"}, &out, options...)
	return out, err
}

// ReleaseUserTask: Release a user task.
// Releases the caller's own claim; an operator can release any claim.
//
// Action `userTasks.claim`: requires role `admin`, `operator` or `client`.
func (c *Calls) ReleaseUserTask(ctx context.Context, executionId string, nodeId string, body UserTaskRound, options ...Option) (UserTask, error) {
	var out UserTask
	err := c.transport.Call(ctx, Request{Name: "releaseUserTask", Method: "POST", Path: "/v1/user-tasks/" + url.PathEscape(executionId) + "/" + url.PathEscape(nodeId) + "/release", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// ListViewsQuery is the query of ListViews; zero fields are not sent.
type ListViewsQuery struct {
	// Only views of this list, such as `jobs`.
	List string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListViews: List saved views, newest first.
// Returns the caller's own views and the views that others share.
//
// Action `views.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListViews(ctx context.Context, query ListViewsQuery, options ...Option) (Page[View], error) {
	values := url.Values{}
	if query.List != "" {
		values.Set("list", string(query.List))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[View]
	err := c.transport.Call(ctx, Request{Name: "listViews", Method: "GET", Path: "/v1/views", Query: values}, &out, options...)
	return out, err
}

// AddView: Save a view.
// At most 100 views per API key or person.
//
// Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) AddView(ctx context.Context, body ViewRequest, options ...Option) (View, error) {
	var out View
	err := c.transport.Call(ctx, Request{Name: "addView", Method: "POST", Path: "/v1/views", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetView: Show a saved view.
// Action `views.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetView(ctx context.Context, id string, options ...Option) (View, error) {
	var out View
	err := c.transport.Call(ctx, Request{Name: "getView", Method: "GET", Path: "/v1/views/" + url.PathEscape(id)}, &out, options...)
	return out, err
}

// ChangeView: Change a saved view.
// Operators can also change views that others share.
//
// Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ChangeView(ctx context.Context, id string, body ViewRequest, options ...Option) (View, error) {
	var out View
	err := c.transport.Call(ctx, Request{Name: "changeView", Method: "PUT", Path: "/v1/views/" + url.PathEscape(id), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteView: Delete a saved view.
// Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) DeleteView(ctx context.Context, id string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteView", Method: "DELETE", Path: "/v1/views/" + url.PathEscape(id), Keyed: true}, nil, options...)
}

// ListWebhooksQuery is the query of ListWebhooks; zero fields are not sent.
type ListWebhooksQuery struct {
	// Name of the tenant.
	Tenant string
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListWebhooks: List webhook endpoints, newest first.
// Action `webhooks.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListWebhooks(ctx context.Context, query ListWebhooksQuery, options ...Option) (Page[Webhook], error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Webhook]
	err := c.transport.Call(ctx, Request{Name: "listWebhooks", Method: "GET", Path: "/v1/webhooks", Query: values}, &out, options...)
	return out, err
}

// CreateWebhook: Create a webhook endpoint.
// It accepts deliveries immediately. A generated secret is shown only in this response.
//
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) CreateWebhook(ctx context.Context, body WebhookRequest, options ...Option) (SavedWebhook, error) {
	var out SavedWebhook
	err := c.transport.Call(ctx, Request{Name: "createWebhook", Method: "POST", Path: "/v1/webhooks", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetWebhook: Show a webhook endpoint.
// Action `webhooks.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetWebhook(ctx context.Context, id string, options ...Option) (Webhook, error) {
	var out Webhook
	err := c.transport.Call(ctx, Request{Name: "getWebhook", Method: "GET", Path: "/v1/webhooks/" + url.PathEscape(id)}, &out, options...)
	return out, err
}

// ReplaceWebhook: Replace a webhook endpoint.
// ID, URL and deliveries are kept. Secrets are kept unless new ones are given, which replace them immediately;
// use `rotate-secret` for an overlap.
//
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) ReplaceWebhook(ctx context.Context, id string, body WebhookRequest, options ...Option) (SavedWebhook, error) {
	var out SavedWebhook
	err := c.transport.Call(ctx, Request{Name: "replaceWebhook", Method: "PUT", Path: "/v1/webhooks/" + url.PathEscape(id), Keyed: true, Body: body}, &out, options...)
	return out, err
}

// DeleteWebhook: Delete a webhook endpoint and its secrets.
// Senders then get 404. Its deliveries are kept until their retention ends.
//
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) DeleteWebhook(ctx context.Context, id string, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "deleteWebhook", Method: "DELETE", Path: "/v1/webhooks/" + url.PathEscape(id), Keyed: true}, nil, options...)
}

// ListWebhookDeliveriesQuery is the query of ListWebhookDeliveries; zero fields are not sent.
type ListWebhookDeliveriesQuery struct {
	// One of webhook, event. Several values are separated by commas.
	Source string
	// ID: `whk_` and 32 hexadecimal digits. Several values are separated by commas.
	WebhookID string
	// Exact match. Several values are separated by commas.
	Tenant string
	// One of accepted, held, matched, unmatched, parked, duplicate, rejected, handshake. Several values are separated by commas.
	Status string
	// Exact match. Several values are separated by commas.
	EventType string
	// Exact match. Several values are separated by commas.
	Reason string
	// Exact match.
	RemoteAddress string
	// ID: `exe_` and 32 hexadecimal digits.
	ExecutionID string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ReceivedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ReceivedBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ProcessedAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	ProcessedBefore string
	// Same as `receivedAfter`.
	From string
	// Same as `receivedBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: received, processed (default `received`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListWebhookDeliveries: List the deliveries of a webhook endpoint, newest first.
// Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListWebhookDeliveries(ctx context.Context, id string, query ListWebhookDeliveriesQuery, options ...Option) (Page[Delivery], error) {
	values := url.Values{}
	if query.Source != "" {
		values.Set("source", string(query.Source))
	}
	if query.WebhookID != "" {
		values.Set("webhookId", string(query.WebhookID))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Status != "" {
		values.Set("status", string(query.Status))
	}
	if query.EventType != "" {
		values.Set("eventType", string(query.EventType))
	}
	if query.Reason != "" {
		values.Set("reason", string(query.Reason))
	}
	if query.RemoteAddress != "" {
		values.Set("remoteAddress", string(query.RemoteAddress))
	}
	if query.ExecutionID != "" {
		values.Set("executionId", string(query.ExecutionID))
	}
	if query.ReceivedAfter != "" {
		values.Set("receivedAfter", string(query.ReceivedAfter))
	}
	if query.ReceivedBefore != "" {
		values.Set("receivedBefore", string(query.ReceivedBefore))
	}
	if query.ProcessedAfter != "" {
		values.Set("processedAfter", string(query.ProcessedAfter))
	}
	if query.ProcessedBefore != "" {
		values.Set("processedBefore", string(query.ProcessedBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Delivery]
	err := c.transport.Call(ctx, Request{Name: "listWebhookDeliveries", Method: "GET", Path: "/v1/webhooks/" + url.PathEscape(id) + "/deliveries", Query: values}, &out, options...)
	return out, err
}

// PauseWebhook: Pause a webhook endpoint.
// Deliveries are stored and held until the endpoint is resumed; beyond a server limit they get 429 with Retry-After.
// Handshakes are still answered.
//
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) PauseWebhook(ctx context.Context, id string, options ...Option) (Webhook, error) {
	var out Webhook
	err := c.transport.Call(ctx, Request{Name: "pauseWebhook", Method: "POST", Path: "/v1/webhooks/" + url.PathEscape(id) + "/pause", Keyed: true}, &out, options...)
	return out, err
}

// ResumeWebhook: Resume a webhook endpoint.
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) ResumeWebhook(ctx context.Context, id string, options ...Option) (Webhook, error) {
	var out Webhook
	err := c.transport.Call(ctx, Request{Name: "resumeWebhook", Method: "POST", Path: "/v1/webhooks/" + url.PathEscape(id) + "/resume", Keyed: true}, &out, options...)
	return out, err
}

// RotateSecret: Rotate the secret of a webhook endpoint.
// Old and new secrets are both valid during the overlap; configure the new one at the provider in that time. A
// generated secret is shown only in this response.
//
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) RotateSecret(ctx context.Context, id string, body RotateSecretRequest, options ...Option) (RotatedSecret, error) {
	var out RotatedSecret
	err := c.transport.Call(ctx, Request{Name: "rotateSecret", Method: "POST", Path: "/v1/webhooks/" + url.PathEscape(id) + "/rotate-secret", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// TestWebhook: Send a signed test delivery to a webhook endpoint.
// The delivery is processed like any other: verified, stored and matched, and its triggers start workflows. Errors:
// 409 `webhook_paused` if the endpoint is paused, 409 `cannot_sign` if the provider signs with a private key, 409
// `webhook_secret_missing` if there is no secret.
//
// Action `webhooks.write`: requires role `admin` or `operator`.
func (c *Calls) TestWebhook(ctx context.Context, id string, options ...Option) (TestedWebhook, error) {
	var out TestedWebhook
	err := c.transport.Call(ctx, Request{Name: "testWebhook", Method: "POST", Path: "/v1/webhooks/" + url.PathEscape(id) + "/test", Keyed: true}, &out, options...)
	return out, err
}

// ListWorkersQuery is the query of ListWorkers; zero fields are not sent.
type ListWorkersQuery struct {
	// Exact match. Several values are separated by commas.
	Tenant string
	// Exact match. Several values are separated by commas.
	Kind string
	// Exact match. Several values are separated by commas.
	JobType string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	LastSeenAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	LastSeenBefore string
	// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	FirstSeenAfter string
	// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
	FirstSeenBefore string
	// Same as `lastSeenAfter`.
	From string
	// Same as `lastSeenBefore`.
	To string
	// Search query, at most 2000 characters. See the search documentation.
	Q string
	// Instant to sort by: lastSeen, firstSeen (default `lastSeen`).
	Sort string
	// `asc` or `desc` (default `desc`).
	Order string
	// Whether to count the matches, up to 10,000.
	Count *bool
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
}

// ListWorkers: List workers, most recently seen first.
// Without a range of `lastSeen` or `firstSeen`, lists workers seen in the last ten minutes.
//
// Action `workers.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListWorkers(ctx context.Context, query ListWorkersQuery, options ...Option) (Page[Worker], error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	if query.Kind != "" {
		values.Set("kind", string(query.Kind))
	}
	if query.JobType != "" {
		values.Set("jobType", string(query.JobType))
	}
	if query.LastSeenAfter != "" {
		values.Set("lastSeenAfter", string(query.LastSeenAfter))
	}
	if query.LastSeenBefore != "" {
		values.Set("lastSeenBefore", string(query.LastSeenBefore))
	}
	if query.FirstSeenAfter != "" {
		values.Set("firstSeenAfter", string(query.FirstSeenAfter))
	}
	if query.FirstSeenBefore != "" {
		values.Set("firstSeenBefore", string(query.FirstSeenBefore))
	}
	if query.From != "" {
		values.Set("from", string(query.From))
	}
	if query.To != "" {
		values.Set("to", string(query.To))
	}
	if query.Q != "" {
		values.Set("q", string(query.Q))
	}
	if query.Sort != "" {
		values.Set("sort", string(query.Sort))
	}
	if query.Order != "" {
		values.Set("order", string(query.Order))
	}
	if query.Count != nil {
		values.Set("count", strconv.FormatBool(*query.Count))
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	var out Page[Worker]
	err := c.transport.Call(ctx, Request{Name: "listWorkers", Method: "GET", Path: "/v1/workers", Query: values}, &out, options...)
	return out, err
}

// DrainWorkerQuery is the query of DrainWorker; zero fields are not sent.
type DrainWorkerQuery struct {
	// Tenant that the worker's key is bound to.
	Tenant string
}

// DrainWorker: Drain a worker.
// Until the worker is gone, its polls return no jobs but `drain`, and its stream ends. Jobs that it already has are
// not affected. A worker that appears under the same ID after a minute of inactivity is not drained.
//
// Action `workers.drain`: requires role `admin` or `operator`.
func (c *Calls) DrainWorker(ctx context.Context, id string, query DrainWorkerQuery, options ...Option) error {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	return c.transport.Call(ctx, Request{Name: "drainWorker", Method: "POST", Path: "/v1/workers/" + url.PathEscape(id) + "/drain", Keyed: true, Query: values}, nil, options...)
}

// ListWorkflowsQuery is the query of ListWorkflows; zero fields are not sent.
type ListWorkflowsQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
	// Shows what this tenant sees: its own workflows and the shared ones; for keys that are not bound to a tenant.
	Tenant string
}

// ListWorkflows: List the latest version of each workflow, by name.
// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListWorkflows(ctx context.Context, query ListWorkflowsQuery, options ...Option) (Page[Workflow], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out Page[Workflow]
	err := c.transport.Call(ctx, Request{Name: "listWorkflows", Method: "GET", Path: "/v1/workflows", Query: values}, &out, options...)
	return out, err
}

// RegisterWorkflowQuery is the query of RegisterWorkflow; zero fields are not sent.
type RegisterWorkflowQuery struct {
	// Validates the definition without registering it.
	Validate *bool
}

// RegisterWorkflow: Register a version of a workflow.
// Versions are immutable: the same content again returns 200, different content under the same version returns 409.
//
// Action `workflows.register`: requires role `admin` or `operator`.
func (c *Calls) RegisterWorkflow(ctx context.Context, body json.RawMessage, query RegisterWorkflowQuery, options ...Option) (RegisteredWorkflow, error) {
	values := url.Values{}
	if query.Validate != nil {
		values.Set("validate", strconv.FormatBool(*query.Validate))
	}
	var out RegisteredWorkflow
	err := c.transport.Call(ctx, Request{Name: "registerWorkflow", Method: "POST", Path: "/v1/workflows", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// SimulateWorkflow: Simulate a workflow.
// Runs a definition with the results that you give in place of handlers, people and other systems. Nothing is stored,
// no job is created, and the clock jumps to the next timer. At a node without a result, the run ends and reports what
// it waits for.
//
// Action `workflows.simulate`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) SimulateWorkflow(ctx context.Context, body SimulationRequest, options ...Option) (Simulation, error) {
	var out Simulation
	err := c.transport.Call(ctx, Request{Name: "simulateWorkflow", Method: "POST", Path: "/v1/workflows/simulate", Keyed: true, Body: body}, &out, options...)
	return out, err
}

// GetWorkflowQuery is the query of GetWorkflow; zero fields are not sent.
type GetWorkflowQuery struct {
	// Resolves the name for this tenant; for keys that are not bound to a tenant.
	Tenant string
}

// GetWorkflow: Show the latest version of a workflow.
// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetWorkflow(ctx context.Context, name string, query GetWorkflowQuery, options ...Option) (Workflow, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out Workflow
	err := c.transport.Call(ctx, Request{Name: "getWorkflow", Method: "GET", Path: "/v1/workflows/" + url.PathEscape(name), Query: values}, &out, options...)
	return out, err
}

// GetWorkflowAttributesQuery is the query of GetWorkflowAttributes; zero fields are not sent.
type GetWorkflowAttributesQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// GetWorkflowAttributes: Show the searchable attributes of a workflow.
// Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetWorkflowAttributes(ctx context.Context, name string, query GetWorkflowAttributesQuery, options ...Option) (map[string]Attribute, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]Attribute
	err := c.transport.Call(ctx, Request{Name: "getWorkflowAttributes", Method: "GET", Path: "/v1/workflows/" + url.PathEscape(name) + "/attributes", Query: values}, &out, options...)
	return out, err
}

// SetWorkflowAttributesQuery is the query of SetWorkflowAttributes; zero fields are not sent.
type SetWorkflowAttributesQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// SetWorkflowAttributes: Declare searchable attributes of a workflow.
// Attributes that are absent from the request are kept; null removes an attribute. Applies to executions created from
// now on and to their jobs.
//
// Action `attributes.declare`: requires role `admin` or `operator`.
func (c *Calls) SetWorkflowAttributes(ctx context.Context, name string, body map[string]AttributeDeclaration, query SetWorkflowAttributesQuery, options ...Option) (map[string]Attribute, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]Attribute
	err := c.transport.Call(ctx, Request{Name: "setWorkflowAttributes", Method: "PUT", Path: "/v1/workflows/" + url.PathEscape(name) + "/attributes", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// GetWorkflowLimitsQuery is the query of GetWorkflowLimits; zero fields are not sent.
type GetWorkflowLimitsQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// GetWorkflowLimits: Show the limits of a workflow.
// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetWorkflowLimits(ctx context.Context, name string, query GetWorkflowLimitsQuery, options ...Option) (map[string]QueueLimits, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "getWorkflowLimits", Method: "GET", Path: "/v1/workflows/" + url.PathEscape(name) + "/limits", Query: values}, &out, options...)
	return out, err
}

// SetWorkflowLimitsQuery is the query of SetWorkflowLimits; zero fields are not sent.
type SetWorkflowLimitsQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// SetWorkflowLimits: Change the limits of a workflow.
// Action `workflows.limit`: requires role `admin` or `operator`.
func (c *Calls) SetWorkflowLimits(ctx context.Context, name string, body map[string]LimitChanges, query SetWorkflowLimitsQuery, options ...Option) (map[string]QueueLimits, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out map[string]QueueLimits
	err := c.transport.Call(ctx, Request{Name: "setWorkflowLimits", Method: "PUT", Path: "/v1/workflows/" + url.PathEscape(name) + "/limits", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// PauseWorkflowQuery is the query of PauseWorkflow; zero fields are not sent.
type PauseWorkflowQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// PauseWorkflow: Pause a workflow.
// Executions stay queued until the workflow is resumed; a running execution continues until it waits or ends. New ones
// are queued as well, or rejected with 409 `workflow_paused`.
//
// Action `workflows.pause`: requires role `admin` or `operator`.
func (c *Calls) PauseWorkflow(ctx context.Context, name string, body PauseRequest, query PauseWorkflowQuery, options ...Option) (WorkflowMode, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out WorkflowMode
	err := c.transport.Call(ctx, Request{Name: "pauseWorkflow", Method: "POST", Path: "/v1/workflows/" + url.PathEscape(name) + "/pause", Keyed: true, Query: values, Body: body}, &out, options...)
	return out, err
}

// ResumeWorkflowQuery is the query of ResumeWorkflow; zero fields are not sent.
type ResumeWorkflowQuery struct {
	// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
	// never a tenant's.
	Tenant string
}

// ResumeWorkflow: Resume a workflow.
// Action `workflows.pause`: requires role `admin` or `operator`.
func (c *Calls) ResumeWorkflow(ctx context.Context, name string, query ResumeWorkflowQuery, options ...Option) (WorkflowMode, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out WorkflowMode
	err := c.transport.Call(ctx, Request{Name: "resumeWorkflow", Method: "POST", Path: "/v1/workflows/" + url.PathEscape(name) + "/resume", Keyed: true, Query: values}, &out, options...)
	return out, err
}

// ListVersionsQuery is the query of ListVersions; zero fields are not sent.
type ListVersionsQuery struct {
	// Page size, 1 to 500 (default 50).
	Limit int32
	// The `nextCursor` of the previous page.
	Cursor string
	// Shows what this tenant sees: its own workflows and the shared ones; for keys that are not bound to a tenant.
	Tenant string
}

// ListVersions: List the versions of a workflow, newest first.
// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) ListVersions(ctx context.Context, name string, query ListVersionsQuery, options ...Option) (Page[Workflow], error) {
	values := url.Values{}
	if query.Limit != 0 {
		values.Set("limit", strconv.FormatInt(int64(query.Limit), 10))
	}
	if query.Cursor != "" {
		values.Set("cursor", string(query.Cursor))
	}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out Page[Workflow]
	err := c.transport.Call(ctx, Request{Name: "listVersions", Method: "GET", Path: "/v1/workflows/" + url.PathEscape(name) + "/versions", Query: values}, &out, options...)
	return out, err
}

// GetVersionQuery is the query of GetVersion; zero fields are not sent.
type GetVersionQuery struct {
	// Resolves the name for this tenant; for keys that are not bound to a tenant.
	Tenant string
}

// GetVersion: Show a version of a workflow.
// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
func (c *Calls) GetVersion(ctx context.Context, name string, version string, query GetVersionQuery, options ...Option) (Workflow, error) {
	values := url.Values{}
	if query.Tenant != "" {
		values.Set("tenant", string(query.Tenant))
	}
	var out Workflow
	err := c.transport.Call(ctx, Request{Name: "getVersion", Method: "GET", Path: "/v1/workflows/" + url.PathEscape(name) + "/versions/" + url.PathEscape(version), Query: values}, &out, options...)
	return out, err
}

// PutSource: Set the source places of a version.
// A source place is the file and line of a node in the program that the version was compiled from. Source places are
// not part of the definition or its content hash, and can be set again.
//
// Action `workflows.register`: requires role `admin` or `operator`.
func (c *Calls) PutSource(ctx context.Context, name string, version string, body SourceRequest, options ...Option) error {
	return c.transport.Call(ctx, Request{Name: "putSource", Method: "PUT", Path: "/v1/workflows/" + url.PathEscape(name) + "/versions/" + url.PathEscape(version) + "/source", Keyed: true, Body: body}, nil, options...)
}
