package trunkline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trunkline.dev/go/api"
)

// ProblemError reports that the server rejected a call.
type ProblemError = api.ProblemError

// ConnectionError reports that the server could not be reached, or that the connection broke.
type ConnectionError = api.ConnectionError

// JobFailed reports that the job became a dead letter or was cancelled.
type JobFailed struct {
	JobID  string
	Status api.JobStatus
	// Err is the error of its last attempt, or nil.
	Err *api.JobError
}

func (e *JobFailed) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("job %s is %s", e.JobID, e.Status)
	}
	return fmt.Sprintf("job %s is %s: %s", e.JobID, e.Status, e.Err.Message)
}

// Code is the code of the job's error, or "cancelled" for a cancelled job.
func (e *JobFailed) Code() string {
	if e.Err != nil && e.Err.Code != nil {
		return *e.Err.Code
	}
	if e.Status == api.JobStatusCancelled {
		return "cancelled"
	}
	return ""
}

// RunFailed reports that the run failed or was cancelled.
type RunFailed struct {
	RunID  string
	Status api.ExecutionStatus
	// Err is the reason, or nil.
	Err *api.ExecutionError
}

func (e *RunFailed) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("run %s is %s", e.RunID, e.Status)
	}
	return fmt.Sprintf("run %s is %s: %s", e.RunID, e.Status, e.Err.Message)
}

// Code is the code of the run's error, or "cancelled" for a cancelled run.
func (e *RunFailed) Code() string {
	if e.Err != nil && e.Err.Code != nil {
		return *e.Err.Code
	}
	if e.Status == api.ExecutionStatusCancelled {
		return "cancelled"
	}
	return ""
}

// CancelReason is the reason why the context of a handler was cancelled.
type CancelReason string

// Why a handler was cancelled.
const (
	ReasonCancelled CancelReason = "cancelled"
	ReasonLeaseLost CancelReason = "lease_lost"
	ReasonDraining  CancelReason = "draining"
	ReasonDeadline  CancelReason = "deadline"
)

// Cancelled is context.Cause of a handler's context once it is cancelled, which handlers return to stop. If the handler
// was not cancelled, the job fails permanently with the code "cancelled".
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

// NonRetryable marks an error as permanent: the job becomes a dead letter immediately.
func NonRetryable(err error) error { return &nonRetryable{err} }

type retryAfter struct {
	delay time.Duration
	err   error
}

func (e *retryAfter) Error() string { return e.err.Error() }
func (e *retryAfter) Unwrap() error { return e.err }

// RetryAfter sets the delay until the next attempt, instead of the backoff. It consumes an attempt. err may be nil.
func RetryAfter(delay time.Duration, err error) error {
	if err == nil {
		err = errors.New("to be tried again later")
	}
	return &retryAfter{delay, err}
}

type snooze struct{ delay time.Duration }

func (e *snooze) Error() string { return "snoozed for " + e.delay.String() }

// Snooze releases the job for this time without consuming an attempt.
func Snooze(delay time.Duration) error { return &snooze{delay} }

type coded struct {
	err  error
	code string
}

func (e *coded) Error() string { return e.err.Error() }
func (e *coded) Unwrap() error { return e.err }
func (e *coded) Code() string  { return e.code }

// WithCode adds a code to an error, which groups dead letters and is for programs. Errors with a method Code() string
// have one.
func WithCode(err error, code string) error { return &coded{err, code} }
