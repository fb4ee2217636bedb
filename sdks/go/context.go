package trunkline

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"trunkline.dev/go/internal/jobctx"
)

// Job is what a handler knows of its job: ID, Attempt, IdempotencyKey, PreviousProgress and more.
type Job = jobctx.Job

// JobFrom gives the job of the handler that ctx belongs to, and the zero Job outside of one.
func JobFrom(ctx context.Context) Job {
	if scope := jobctx.From(ctx); scope != nil {
		return scope.Job
	}
	return Job{}
}

// Progress says how far the work is. It is sent with the next heartbeat, and the next attempt reads the last one. It fails only
// for what is no JSON, and does nothing outside of a handler.
func Progress(ctx context.Context, value any) error {
	scope := jobctx.From(ctx)
	if scope == nil {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("progress is no JSON: %w", err)
	}
	scope.Progress(text)
	return nil
}

// Log gives a logger with the ids of job and attempt, whose lines the server keeps beside the attempt too; outside of a handler, the default one.
func Log(ctx context.Context) *slog.Logger {
	if scope := jobctx.From(ctx); scope != nil {
		return scope.Log
	}
	return slog.Default()
}
