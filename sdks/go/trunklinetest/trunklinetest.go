// Package trunklinetest is the test kit, in three layers: a handler with a fake context (Context), a worker against a server in
// memory that waits for nothing (Memory), and the real server (DevServer).
package trunklinetest

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/internal/jobctx"
)

// Recorder records what a handler reported through its context.
type Recorder struct {
	mutex    sync.Mutex
	progress []json.RawMessage
}

// Progress returns the values reported with trunkline.Progress, in order.
func (r *Recorder) Progress() []json.RawMessage {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]json.RawMessage(nil), r.progress...)
}

// Context returns a context for a handler that a test calls directly. Cancel ctx to cancel the handler. Empty fields of
// job get values: ID "job_test", Attempt 1, IdempotencyKey the ID.
func Context(ctx context.Context, job trunkline.Job) (context.Context, *Recorder) {
	if job.ID == "" {
		job.ID = "job_test"
	}
	if job.Attempt == 0 {
		job.Attempt = 1
	}
	if job.IdempotencyKey == "" {
		job.IdempotencyKey = job.ID
	}
	recorder := &Recorder{}
	scope := &jobctx.Scope{Job: job, Log: slog.Default(), Progress: func(value json.RawMessage) {
		recorder.mutex.Lock()
		defer recorder.mutex.Unlock()
		recorder.progress = append(recorder.progress, value)
	}}
	return jobctx.With(ctx, scope), recorder
}
