package trunkline

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"trunkline.dev/go/api"
)

func TestWhatAHandlerReturnsDecidesWhatIsReported(t *testing.T) {
	plain := errors.New("no")
	for name, tc := range map[string]struct {
		err    error
		reason CancelReason
		kind   string
		check  func(report) bool
	}{
		"plain":       {plain, "", kindFail, func(r report) bool { return r.Error.Message == "no" && r.Retryable == nil }},
		"coded":       {WithCode(plain, "bad"), "", kindFail, func(r report) bool { return *r.Error.Code == "bad" }},
		"final":       {fmt.Errorf("at x: %w", NonRetryable(plain)), "", kindFail, func(r report) bool { return !*r.Retryable }},
		"later":       {RetryAfter(2*time.Second, nil), "", kindFail, func(r report) bool { return r.RetryAfter == "2000ms" }},
		"snooze":      {Snooze(time.Minute), "", kindRelease, func(r report) bool { return r.Delay == "60000ms" }},
		"cancelled":   {&Cancelled{}, "", kindFail, func(r report) bool { return *r.Error.Code == "cancelled" && !*r.Retryable }},
		"lease lost":  {plain, ReasonLeaseLost, kindNone, func(report) bool { return true }},
		"at deadline": {plain, ReasonDeadline, kindNone, func(report) bool { return true }},
		"draining":    {NonRetryable(plain), ReasonDraining, kindRelease, func(r report) bool { return r.Delay == "" }},
	} {
		kind, got := outcomeOf(tc.err, tc.reason)
		if kind != tc.kind || !tc.check(got) {
			t.Errorf("%s: %s %+v", name, kind, got)
		}
	}
}

func TestWaitsGrowToACeilingAndRetryAfterIsAFloor(t *testing.T) {
	for attempt, want := range map[int]time.Duration{0: 100 * time.Millisecond, 2: 400 * time.Millisecond, 99: 5 * time.Second} {
		if got := api.BackoffDelay(attempt, 1); got != want {
			t.Errorf("attempt %d: %v", attempt, got)
		}
	}
	asked := &ProblemError{Problem: api.Problem{Status: 429}, RetryAfter: 2 * time.Second}
	if got := api.RetryDelay(asked, 0, 0); got != 2*time.Second {
		t.Error(got)
	}
	if got := api.RetryDelay(asked, 0, 1); got != 2500*time.Millisecond {
		t.Error(got)
	}
}

func TestTheLengthOfALeaseIsOnlyBelievedWhereTheClocksCanBe(t *testing.T) {
	now := time.Now()
	for expires, known := range map[time.Duration]bool{30 * time.Second: true, -1: false, 2 * time.Hour: false} {
		if _, got := leaseLength(now.Add(expires), now); got != known {
			t.Errorf("%v: %v", expires, got)
		}
	}
}
