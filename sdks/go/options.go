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

// Option says more of a job or a run. Those of one are ignored for the other: a run has no Delay, a job no Version.
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

// UniqueKey lets at most one unfinished job have this key: a second enqueue gives the first job.
func UniqueKey(key string) Option { return func(s *settings) { s.job.UniqueKey = &key } }

// ConcurrencyKey lets at most one job with this key run at a time.
func ConcurrencyKey(key string) Option { return func(s *settings) { s.job.ConcurrencyKey = &key } }

// MaxRetries is how often a job is tried again after a failure.
func MaxRetries(retries int) Option {
	return func(s *settings) { n := int32(retries); s.job.MaxRetries = &n }
}

// Backoff sets the waits between tries.
func Backoff(backoff api.Backoff) Option { return func(s *settings) { s.job.Backoff = &backoff } }

// AttemptTimeout is the longest attempt of a job.
func AttemptTimeout(limit time.Duration) Option {
	return func(s *settings) { text := durationText(limit); s.job.Timeout = &text }
}

// Tags are words to find a job or run by.
func Tags(tags ...string) Option { return func(s *settings) { s.job.Tags = tags } }

// ForTenant goes before the client's tenant.
func ForTenant(tenant string) Option { return func(s *settings) { s.job.Tenant = &tenant } }

// Traceparent is the W3C trace context; that of the handler around the call where absent.
func Traceparent(value string) Option { return func(s *settings) { s.job.Traceparent = &value } }

// IdempotencyKey makes the same call with the same key and content one job or run; a random one where absent.
func IdempotencyKey(key string) Option { return func(s *settings) { s.idempotencyKey = key } }

// Partial lets a batch take what is valid.
func Partial() Option { return func(s *settings) { s.partial = true } }

// Version is that of the workflow to start; the latest where absent.
func Version(version int) Option {
	return func(s *settings) { n := int32(version); s.version = &n }
}

// CorrelationID is whatever the caller knows a run by.
func CorrelationID(id string) Option { return func(s *settings) { s.correlationID = &id } }
