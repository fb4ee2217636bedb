package trunkline

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"trunkline.dev/go/internal/jobctx"
)

// Job describes the job of a handler: ID, Attempt, IdempotencyKey, PreviousProgress and more.
type Job = jobctx.Job

// JobFrom returns the job of the handler that ctx belongs to, or the zero Job outside of a handler.
func JobFrom(ctx context.Context) Job {
	if scope := jobctx.From(ctx); scope != nil {
		return scope.Job
	}
	return Job{}
}

// Progress reports progress. It is sent with the next heartbeat, and the next attempt receives the last value. It fails
// only if the value is not JSON, and does nothing outside of a handler.
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

// Log returns a logger with the IDs of job and attempt, whose lines are also stored with the attempt on the server;
// outside of a handler, it returns the default logger.
func Log(ctx context.Context) *slog.Logger {
	if scope := jobctx.From(ctx); scope != nil {
		return scope.Log
	}
	return slog.Default()
}
