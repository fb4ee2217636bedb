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

// WorkerOption sets one thing of a worker.
type WorkerOption func(*workerSettings)

// Concurrency is how many handlers run side by side; 10 where absent.
func Concurrency(n int) WorkerOption { return func(s *workerSettings) { s.concurrency = max(1, n) } }

// PollWait is how long a poll waits for a job; 20 s where absent, at most 30 s.
func PollWait(wait time.Duration) WorkerOption {
	return func(s *workerSettings) { s.pollWait = min(max(0, wait), pollWaitMax) }
}

// DrainTimeout is how long handlers may go on after SIGTERM; TRUNKLINE_DRAIN_TIMEOUT, else 25 s.
func DrainTimeout(limit time.Duration) WorkerOption {
	return func(s *workerSettings) { s.drainTimeout = max(0, limit) }
}

// Lease is how long leases hold; the server's setting where absent.
func Lease(length time.Duration) WorkerOption { return func(s *workerSettings) { s.lease = length } }

// OnlyTenant takes only jobs of this tenant.
func OnlyTenant(tenant string) WorkerOption { return func(s *workerSettings) { s.tenant = tenant } }

// WorkerID is the worker's name; host, process and a random part where absent.
func WorkerID(id string) WorkerOption { return func(s *workerSettings) { s.workerID = id } }

// Build names what the worker runs, such as a version or a commit. It is shown beside the worker.
func Build(name string) WorkerOption { return func(s *workerSettings) { s.build = name } }

// Builds pins the worker's job types to these builds as it begins, its own among them: only workers of one of them get their jobs
// then.
func Builds(names ...string) WorkerOption { return func(s *workerSettings) { s.builds = names } }

// HealthAddress is where /healthz and /metrics listen, such as 127.0.0.1:8090; TRUNKLINE_WORKER_HEALTH, else nowhere.
func HealthAddress(address string) WorkerOption {
	return func(s *workerSettings) { s.healthAddress = address }
}

// WithLogger is where lines go; slog.Default where absent.
func WithLogger(logger *slog.Logger) WorkerOption {
	return func(s *workerSettings) { s.logger = logger }
}

// WithMiddleware goes around every handler, the first outermost.
func WithMiddleware(middleware ...Middleware) WorkerOption {
	return func(s *workerSettings) { s.middleware = append(s.middleware, middleware...) }
}

// OnEvent is called with everything that metrics could count, by several goroutines. It must not block.
func OnEvent(call func(Event)) WorkerOption { return func(s *workerSettings) { s.onEvent = call } }

// EventKind says what an Event is.
type EventKind string

// What happens in a worker.
const (
	Started         EventKind = "started"
	Finished        EventKind = "finished"
	Polled          EventKind = "polled"
	PollFailed      EventKind = "poll_failed"
	HeartbeatFailed EventKind = "heartbeat_failed"
)

// Event is something that metrics could count. Which fields are set depends on the kind.
type Event struct {
	Kind    EventKind
	JobType string
	// Outcome of a finished attempt: "complete", "fail", "release", or "none" where the lease was lost.
	Outcome  string
	Duration time.Duration
	// Jobs is how many a poll gave.
	Jobs int
	Err  error
}
