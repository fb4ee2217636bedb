package trunkline

import (
	"fmt"
	"log/slog"
	"os"
	"time"
)

type workerSettings struct {
	concurrency   int
	pollWait      time.Duration
	drainTimeout  time.Duration
	lease         time.Duration
	tenant        string
	workerID      string
	build         string
	builds        []string
	healthAddress string
	logger        *slog.Logger
	middleware    []Middleware
	onEvent       func(Event)
}

func defaultWorkerSettings() workerSettings {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return workerSettings{
		concurrency: 10, pollWait: pollWaitDefault, drainTimeout: -1, logger: slog.Default(),
		workerID:      fmt.Sprintf("%.60s-%d-%x", host, os.Getpid(), time.Now().UnixNano()),
		healthAddress: os.Getenv("TRUNKLINE_WORKER_HEALTH"),
	}
}

// drain is how long handlers may go on after SIGTERM.
func (s workerSettings) drain() (time.Duration, error) {
	if s.drainTimeout >= 0 {
		return s.drainTimeout, nil
	}
	text := os.Getenv("TRUNKLINE_DRAIN_TIMEOUT")
	if text == "" {
		return drainDefault, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit < 0 {
		return 0, fmt.Errorf("TRUNKLINE_DRAIN_TIMEOUT=%s: write it as 25s", text)
	}
	return limit, nil
}

// WorkerOption is an option of a worker.
type WorkerOption func(*workerSettings)

// Concurrency is the maximum number of concurrent handlers (default: 10).
func Concurrency(n int) WorkerOption { return func(s *workerSettings) { s.concurrency = max(1, n) } }

// PollWait is how long a poll waits for a job, at most 30 s (default: 20 s).
func PollWait(wait time.Duration) WorkerOption {
	return func(s *workerSettings) { s.pollWait = min(max(0, wait), pollWaitMax) }
}

// DrainTimeout is how long handlers may continue after SIGTERM (default: TRUNKLINE_DRAIN_TIMEOUT, else 25 s).
func DrainTimeout(limit time.Duration) WorkerOption {
	return func(s *workerSettings) { s.drainTimeout = max(0, limit) }
}

// Lease is the duration of leases (default: the server's setting).
func Lease(length time.Duration) WorkerOption { return func(s *workerSettings) { s.lease = length } }

// OnlyTenant restricts the worker to jobs of this tenant.
func OnlyTenant(tenant string) WorkerOption { return func(s *workerSettings) { s.tenant = tenant } }

// WorkerID is the ID of the worker (default: host, process and a random part).
func WorkerID(id string) WorkerOption { return func(s *workerSettings) { s.workerID = id } }

// Build names the code that the worker runs, such as a version or a commit. It is shown with the worker.
func Build(name string) WorkerOption { return func(s *workerSettings) { s.build = name } }

// Builds pins the worker's job types to these builds, which must include its own, when it starts: from then on, only
// workers of these builds receive their jobs.
func Builds(names ...string) WorkerOption { return func(s *workerSettings) { s.builds = names } }

// HealthAddress is where /healthz and /metrics listen, such as 127.0.0.1:8090; the default is TRUNKLINE_WORKER_HEALTH,
// if set.
func HealthAddress(address string) WorkerOption {
	return func(s *workerSettings) { s.healthAddress = address }
}

// WithLogger sets the logger (default: slog.Default).
func WithLogger(logger *slog.Logger) WorkerOption {
	return func(s *workerSettings) { s.logger = logger }
}

// WithMiddleware wraps every handler; the first is the outermost.
func WithMiddleware(middleware ...Middleware) WorkerOption {
	return func(s *workerSettings) { s.middleware = append(s.middleware, middleware...) }
}

// OnEvent is called with events for metrics, by several goroutines. It must not block.
func OnEvent(call func(Event)) WorkerOption { return func(s *workerSettings) { s.onEvent = call } }

// EventKind is the kind of an Event.
type EventKind string

// What happens in a worker.
const (
	Started         EventKind = "started"
	Finished        EventKind = "finished"
	Polled          EventKind = "polled"
	PollFailed      EventKind = "poll_failed"
	HeartbeatFailed EventKind = "heartbeat_failed"
)

// Event is an event for metrics. Which fields are set depends on the kind.
type Event struct {
	Kind    EventKind
	JobType string
	// Outcome of a finished attempt: "complete", "fail", "release", or "none" if the lease was lost.
	Outcome  string
	Duration time.Duration
	// Jobs is the number of jobs of a poll.
	Jobs int
	Err  error
}
