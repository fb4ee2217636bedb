package trunkline

import (
	"time"

	"trunkline.dev/go/api"
)

type settings struct {
	job            api.JobRequest
	idempotencyKey string
	partial        bool
	version        *int32
	correlationID  *string
}

// Option is an option of a job or a run. Options that do not apply are ignored: a run has no Delay, a job no Version.
type Option func(*settings)

func settingsOf(options []Option) *settings {
	out := &settings{}
	for _, option := range options {
		option(out)
	}
	return out
}

// Priority is "high", "normal" or "low".
func Priority(priority api.Priority) Option { return func(s *settings) { s.job.Priority = &priority } }

// Delay is how long a job waits before it may run.
func Delay(delay time.Duration) Option {
	return func(s *settings) { text := durationText(delay); s.job.Delay = &text }
}

// RunAt is when a job may run.
func RunAt(at time.Time) Option { return func(s *settings) { s.job.RunAt = &at } }

// UniqueKey allows at most one unfinished job with this key: a second enqueue returns the first job.
func UniqueKey(key string) Option { return func(s *settings) { s.job.UniqueKey = &key } }

// ConcurrencyKey allows at most one job with this key to run at a time.
func ConcurrencyKey(key string) Option { return func(s *settings) { s.job.ConcurrencyKey = &key } }

// MaxRetries is the maximum number of retries after a failure.
func MaxRetries(retries int) Option {
	return func(s *settings) { n := int32(retries); s.job.MaxRetries = &n }
}

// Backoff sets the delays between attempts.
func Backoff(backoff api.Backoff) Option { return func(s *settings) { s.job.Backoff = &backoff } }

// AttemptTimeout is the timeout of an attempt.
func AttemptTimeout(limit time.Duration) Option {
	return func(s *settings) { text := durationText(limit); s.job.Timeout = &text }
}

// Tags are used to filter jobs and runs.
func Tags(tags ...string) Option { return func(s *settings) { s.job.Tags = tags } }

// ForTenant overrides the client's tenant.
func ForTenant(tenant string) Option { return func(s *settings) { s.job.Tenant = &tenant } }

// Traceparent is the W3C trace context (default: the context of the surrounding handler).
func Traceparent(value string) Option { return func(s *settings) { s.job.Traceparent = &value } }

// IdempotencyKey makes repeated calls with the same key and content create one job or run (default: random).
func IdempotencyKey(key string) Option { return func(s *settings) { s.idempotencyKey = key } }

// Partial accepts the valid jobs of a batch.
func Partial() Option { return func(s *settings) { s.partial = true } }

// Version is the version of the workflow to start (default: the latest).
func Version(version int) Option {
	return func(s *settings) { n := int32(version); s.version = &n }
}

// CorrelationID is an ID chosen by the caller.
func CorrelationID(id string) Option { return func(s *settings) { s.correlationID = &id } }
