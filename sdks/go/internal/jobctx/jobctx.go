// Package jobctx puts the job of a handler into its context. The runner and the test kit both do.
package jobctx

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// Job is what a handler knows of its job.
type Job struct {
	ID             string
	Type           string
	Attempt        int
	Tenant         string
	IdempotencyKey string
	// PreviousProgress is what the attempt before said with Progress; nil where it said nothing.
	PreviousProgress json.RawMessage
	// Traceparent is the W3C trace context, empty where there is none.
	Traceparent string
	// Deadline is when the attempt has to be over; zero where the job has no timeout.
	Deadline    time.Time
	ExecutionID string
	NodeID      string
	Workflow    string
}

// Scope is what stands in the context.
type Scope struct {
	Job      Job
	Log      *slog.Logger
	Progress func(json.RawMessage)
}

type key struct{}

// With gives a context with the scope.
func With(ctx context.Context, scope *Scope) context.Context {
	return context.WithValue(ctx, key{}, scope)
}

// From gives the scope, nil outside of a handler.
func From(ctx context.Context) *Scope {
	scope, _ := ctx.Value(key{}).(*Scope)
	return scope
}
