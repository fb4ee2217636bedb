package trunkline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trunkline.dev/go/api"
)

// ProblemError is the server's refusal of a call.
type ProblemError = api.ProblemError

// ConnectionError says that the server was not reached, or that the connection broke.
type ConnectionError = api.ConnectionError

// JobFailed says that the job that was waited for became a dead letter or was cancelled.
type JobFailed struct {
	JobID  string
	Status api.JobStatus
	// Err is what its last attempt reported; nil where there is nothing.
	Err *api.JobError
}

func (e *JobFailed) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("job %s is %s", e.JobID, e.Status)
	}
	return fmt.Sprintf("job %s is %s: %s", e.JobID, e.Status, e.Err.Message)
}

// Code is that of the job's error, "cancelled" for a job that was cancelled.
func (e *JobFailed) Code() string {
	if e.Err != nil && e.Err.Code != nil {
		return *e.Err.Code
	}
	if e.Status == api.JobStatusCancelled {
		return "cancelled"
	}
	return ""
}

// RunFailed says that the run that was waited for failed or was cancelled.
type RunFailed struct {
	RunID  string
	Status api.ExecutionStatus
	// Err is why; nil where there is nothing.
	Err *api.ExecutionError
}

func (e *RunFailed) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("run %s is %s", e.RunID, e.Status)
	}
	return fmt.Sprintf("run %s is %s: %s", e.RunID, e.Status, e.Err.Message)
}

// Code is that of the run's error, "cancelled" for a run that was cancelled.
func (e *RunFailed) Code() string {
	if e.Err != nil && e.Err.Code != nil {
		return *e.Err.Code
	}
	if e.Status == api.ExecutionStatusCancelled {
		return "cancelled"
	}
	return ""
}

// CancelReason says why the context of a handler was cancelled.
type CancelReason string

// Why a handler was cancelled.
const (
	ReasonCancelled CancelReason = "cancelled"
	ReasonLeaseLost CancelReason = "lease_lost"
	ReasonDraining  CancelReason = "draining"
	ReasonDeadline  CancelReason = "deadline"
)

// Cancelled is context.Cause of a handler's context once it is cancelled, and what a handler returns to end with it. Returned by
// a handler that nobody cancelled, it fails the job for good with the code "cancelled".
type Cancelled struct{ Reason CancelReason }

func (e *Cancelled) Error() string {
	if e.Reason == "" {
		return "cancelled"
	}
	return fmt.Sprintf("cancelled (%s)", e.Reason)
}

// Is makes errors.Is(err, context.Canceled) true.
func (e *Cancelled) Is(target error) bool { return target == context.Canceled }

type nonRetryable struct{ err error }

func (e *nonRetryable) Error() string { return e.err.Error() }
func (e *nonRetryable) Unwrap() error { return e.err }

// NonRetryable says that no retry could help: the job becomes a dead letter at once.
func NonRetryable(err error) error { return &nonRetryable{err} }

type retryAfter struct {
	delay time.Duration
	err   error
}

func (e *retryAfter) Error() string { return e.err.Error() }
func (e *retryAfter) Unwrap() error { return e.err }

// RetryAfter says when the next try comes, in place of the backoff. It costs an attempt. err may be nil.
func RetryAfter(delay time.Duration, err error) error {
	if err == nil {
		err = errors.New("to be tried again later")
	}
	return &retryAfter{delay, err}
}

type snooze struct{ delay time.Duration }

func (e *snooze) Error() string { return "snoozed for " + e.delay.String() }

// Snooze gives the job back for a while; it costs no attempt.
func Snooze(delay time.Duration) error { return &snooze{delay} }

type coded struct {
	err  error
	code string
}

func (e *coded) Error() string { return e.err.Error() }
func (e *coded) Unwrap() error { return e.err }
func (e *coded) Code() string  { return e.code }

// WithCode gives an error a code, which groups dead letters and is for programs. Errors with a method Code() string have one.
func WithCode(err error, code string) error { return &coded{err, code} }
