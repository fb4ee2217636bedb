package trunkline

import (
	"errors"
	"fmt"

	"trunkline.dev/go/api"
)

// What is reported of an attempt: its kind is also the last part of the call's path.
const (
	kindComplete = "complete"
	kindFail     = "fail"
	kindRelease  = "release"
	// The lease is gone: whatever was reported would be refused.
	kindNone = "none"
)

// report is one report as it is sent; which fields are set depends on the kind.
type report struct {
	ID         string        `json:"id"`
	LeaseToken string        `json:"leaseToken"`
	Result     any           `json:"result,omitempty"`
	Error      *api.JobError `json:"error,omitempty"`
	Retryable  *bool         `json:"retryable,omitempty"`
	RetryAfter string        `json:"retryAfter,omitempty"`
	Delay      string        `json:"delay,omitempty"`
}

// outcomeOf says what becomes of a job whose handler gave err. reason is why its context was cancelled, if it was.
func outcomeOf(err error, reason CancelReason) (string, report) {
	switch reason {
	case "":
	case ReasonDraining:
		return kindRelease, report{}
	default:
		// At its deadline the server ends the attempt itself, and counts it as one that took too long.
		return kindNone, report{}
	}
	no := false
	var (
		snoozed   *snooze
		final     *nonRetryable
		later     *retryAfter
		cancelled *Cancelled
	)
	switch {
	case errors.As(err, &snoozed):
		return kindRelease, report{Delay: durationText(snoozed.delay)}
	case errors.As(err, &final):
		return kindFail, report{Error: jobError(err), Retryable: &no}
	case errors.As(err, &later):
		return kindFail, report{Error: jobError(err), RetryAfter: durationText(later.delay)}
	case errors.As(err, &cancelled):
		code := "cancelled"
		return kindFail, report{Error: &api.JobError{Message: err.Error(), Code: &code}, Retryable: &no}
	}
	return kindFail, report{Error: jobError(err)}
}

// jobError is an error as the server keeps it.
func jobError(err error) *api.JobError {
	out := &api.JobError{Message: err.Error()}
	if out.Message == "" {
		out.Message = fmt.Sprintf("%T", err)
	}
	var withCode interface{ Code() string }
	if errors.As(err, &withCode) {
		if code := withCode.Code(); code != "" {
			out.Code = &code
		}
	}
	return out
}
