package trunkline

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"trunkline.dev/go/api"
	"trunkline.dev/go/internal/jobctx"
	"trunkline.dev/go/internal/wire"
)

// Handler processes one attempt with JSON data. Handle creates a Handler from a function over the program's own types.
type Handler func(ctx context.Context, data json.RawMessage) (json.RawMessage, error)

// Middleware wraps every handler: it can inspect JobFrom(ctx), change the result, or fail.
type Middleware func(next Handler) Handler

// Handle lets a worker serve a job type with a function over the program's own types. If the data does not match In,
// the job fails permanently with the code "invalid_data".
func Handle[In, Out any](w *Worker, jobType string, handle func(ctx context.Context, in In) (Out, error)) {
	w.handlers[jobType] = func(ctx context.Context, data json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := wire.Unmarshal(data, &in); err != nil {
			return nil, NonRetryable(WithCode(fmt.Errorf("data does not fit %s: %w", jobType, err), "invalid_data"))
		}
		out, err := handle(ctx, in)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, NonRetryable(WithCode(fmt.Errorf("the result of %s is no JSON: %w", jobType, err), "invalid_result"))
		}
		return text, nil
	}
}

// leasedJob is a polled job. Older servers do not send the fields below the embedded ones.
type leasedJob struct {
	api.PolledJob
	Progress       json.RawMessage `json:"progress"`
	IdempotencyKey string          `json:"idempotencyKey"`
	Deadline       *time.Time      `json:"deadline"`
}

// attempt is one running attempt.
type attempt struct {
	job    leasedJob
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	lines  *attemptLines
	// report is how it ended, once done is closed.
	kind   string
	report report

	// over is closed once its end is reported, or nothing more is tried.
	over chan struct{}

	mutex    sync.Mutex
	progress json.RawMessage
	claimed  bool
}

func newAttempt(job leasedJob, lines *attemptLines, logger *slog.Logger, onProgress func(string, json.RawMessage)) *attempt {
	a := &attempt{job: job, done: make(chan struct{}), over: make(chan struct{}), lines: lines}
	// Not a child of the context of Run: handlers go on while the worker drains.
	ctx, cancel := context.WithCancelCause(context.Background())
	a.cancel = cancel
	if job.Deadline != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadlineCause(ctx, *job.Deadline, &Cancelled{ReasonDeadline})
		context.AfterFunc(ctx, stop)
	}
	own := logger.With("job_id", job.ID, "job_type", job.JobType, "attempt", job.Attempt).Handler()
	scope := &jobctx.Scope{
		Job: jobOf(job),
		Log: slog.New(&lineHandler{inner: own, take: lines.add}),
		Progress: func(value json.RawMessage) {
			a.mutex.Lock()
			a.progress = value
			a.mutex.Unlock()
			onProgress(job.LeaseToken, value)
		},
	}
	a.ctx = jobctx.With(ctx, scope)
	return a
}

func jobOf(job leasedJob) Job {
	out := Job{
		ID: job.ID, Type: job.JobType, Attempt: int(job.Attempt), Tenant: job.Tenant, IdempotencyKey: job.IdempotencyKey,
		PreviousProgress: job.Progress, Traceparent: text(job.Traceparent), ExecutionID: text(job.ExecutionID),
		NodeID: text(job.NodeID), Workflow: text(job.Workflow),
	}
	if out.IdempotencyKey == "" {
		out.IdempotencyKey = job.ID
	}
	if string(out.PreviousProgress) == "null" {
		out.PreviousProgress = nil
	}
	if job.Deadline != nil {
		out.Deadline = *job.Deadline
	}
	return out
}

// run runs the handler to its end and says what is to be reported.
func (a *attempt) run(handler Handler, codec Codec) {
	defer close(a.done)
	result, err := a.handle(handler, codec)
	if err == nil {
		// A result is reported even after a cancellation: the server decides whether the lease still holds.
		a.kind, a.report = kindComplete, report{Result: result}
		return
	}
	a.kind, a.report = outcomeOf(err, a.cancelReason())
}

func (a *attempt) handle(handler Handler, codec Codec) (result json.RawMessage, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			Log(a.ctx).Error("handler panicked", "panic", fault, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	data, err := codec.Decode(a.ctx, orNull(a.job.Data), Payload{Kind: "data", JobType: a.job.JobType})
	if err != nil {
		return nil, fmt.Errorf("the codec failed: %w", err)
	}
	result, err = handler(a.ctx, data)
	if err != nil || a.job.ExecutionID != nil {
		return orNull(result), err
	}
	return codec.Encode(a.ctx, orNull(result), Payload{Kind: "result", JobType: a.job.JobType})
}

// cancelReason is why the context was cancelled; empty where it was not.
func (a *attempt) cancelReason() CancelReason {
	if cancelled, found := context.Cause(a.ctx).(*Cancelled); found {
		return cancelled.Reason
	}
	return ""
}

// takeProgress gives what was said with Progress since it was last asked.
func (a *attempt) takeProgress() json.RawMessage {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	taken := a.progress
	a.progress = nil
	return taken
}

// claimReport says whether the caller is to report the end: the handler's own goroutine, or the drain that gives the job back.
func (a *attempt) claimReport() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	isFirst := !a.claimed
	a.claimed = true
	return isFirst
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
