package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ProblemError is the server's refusal of a call: an RFC 9457 problem document.
type ProblemError struct {
	Problem
	// RetryAfter is what the header of that name says; negative where it is absent.
	RetryAfter time.Duration
}

func (e *ProblemError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s: %s", e.Status, e.Code, e.Detail)
	for _, fault := range e.Errors {
		fmt.Fprintf(&text, "; %s: %s", fault.Pointer, fault.Message)
	}
	return text.String()
}

// ConnectionError reports that the server could not be reached, or that the connection broke.
type ConnectionError struct {
	Call string
	Err  error
}

func (e *ConnectionError) Error() string {
	return fmt.Sprintf("%s: the server was not reached: %v", e.Call, e.Err)
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// IsTransient says whether the server may answer otherwise if it is asked again.
func IsTransient(err error) bool {
	var connection *ConnectionError
	if errors.As(err, &connection) {
		return true
	}
	var problem *ProblemError
	if !errors.As(err, &problem) {
		return false
	}
	switch problem.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusConflict:
		// A call with the same idempotency key is still under way.
		return problem.RetryAfter >= 0
	}
	return false
}

// RetryDelay is the wait before the next try: at least what the server asked for, spread by up to a quarter or 100 ms,
// else exponential. attempt counts from 0, random is from 0 to 1.
func RetryDelay(err error, attempt int, random float64) time.Duration {
	var problem *ProblemError
	if errors.As(err, &problem) && problem.RetryAfter >= 0 {
		return problem.RetryAfter + time.Duration(random*float64(max(100*time.Millisecond, problem.RetryAfter/4)))
	}
	return BackoffDelay(attempt, random)
}

// BackoffDelay is exponential from 100 ms to 5 s, spread over the upper half.
func BackoffDelay(attempt int, random float64) time.Duration {
	ceiling := min(5*time.Second, 100*time.Millisecond<<min(attempt, 16))
	return time.Duration(float64(ceiling) * (0.5 + random/2))
}
