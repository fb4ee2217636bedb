package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// Bulk is how many jobs one call of a bulk enqueue takes.
const Bulk = 1000

// every is the time between two jobs that are enqueued one by one.
const every = 20 * time.Millisecond

// Payload is that of every job: about 110 bytes of JSON, the same for all peers.
type Payload struct {
	Number   int     `json:"number"`
	Customer string  `json:"customer"`
	Address  string  `json:"address"`
	Amount   float64 `json:"amount"`
	OK       bool    `json:"ok"`
}

// NewPayload is the payload of one job.
func NewPayload(number int) Payload {
	return Payload{number, "customer-0001", "12 Long Street, 10115 Berlin", 129.5, true}
}

// Peer is what is measured.
type Peer struct {
	Name string
	// Module is the path of the Go module whose version is shown; empty where Version is.
	Module, Version string
	// Share is the part of the jobs that it gets, one in so many; 0 is all of them. Engines that start each job by a call
	// that takes milliseconds get a part, or enqueueing alone would take many minutes.
	Share int
	// Open connects to an empty database.
	Open func(ctx context.Context, url string, mode Mode) (Queue, error)
}

// Queue is a peer on an empty database of its own.
type Queue interface {
	// SetUp makes the peer's tables.
	SetUp(ctx context.Context) error
	// Enqueue enqueues the jobs from first to below end by one call.
	Enqueue(ctx context.Context, first, end int) error
	// EnqueueOne enqueues one job.
	EnqueueOne(ctx context.Context, number int) error
	// Start starts workers whose handler calls handled and does nothing else.
	Start(ctx context.Context, handled func(number int)) error
	// Unfinished answers how many jobs the store still holds as unfinished.
	Unfinished(ctx context.Context) (int, error)
	// Stop ends the workers.
	Stop(ctx context.Context) error
	// Close closes everything.
	Close()
}

// line is one line of output. What was not measured is absent.
type line struct {
	Peer           string   `json:"peer"`
	Version        string   `json:"version"`
	Mode           Mode     `json:"mode"`
	Scenario       string   `json:"scenario"`
	Jobs           int      `json:"jobs"`
	Seconds        float64  `json:"seconds"`
	PerSecond      float64  `json:"perSecond"`
	Steps          int      `json:"steps,omitempty"`
	InFlight       int      `json:"inFlight,omitempty"`
	P50            *float64 `json:"p50Ms,omitempty"`
	P99            *float64 `json:"p99Ms,omitempty"`
	WalBytesPerJob *float64 `json:"walBytesPerJob,omitempty"`
	CommitsPerJob  *float64 `json:"commitsPerJob,omitempty"`
	DeadTuples     *float64 `json:"deadTuples,omitempty"`
}

// Main measures one peer as the command line says, and ends the process.
func Main(peer Peer) {
	if err := peer.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (p Peer) run() error {
	arguments, err := ReadArguments()
	if err != nil {
		return err
	}
	url, err := DatabaseURL()
	if err != nil {
		return err
	}
	ctx := context.Background()
	queue, err := p.Open(ctx, url, arguments.Mode)
	if err != nil {
		return err
	}
	defer queue.Close()
	if err := queue.SetUp(ctx); err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	emit := func(scenario string, figures line) error {
		figures.Peer, figures.Version, figures.Mode, figures.Scenario = p.Name, p.version(), arguments.Mode, scenario
		return json.NewEncoder(os.Stdout).Encode(figures)
	}
	switch arguments.Scenario {
	case "latency":
		figures, err := latency(ctx, queue, arguments.Latency)
		if err != nil {
			return err
		}
		return emit("latency", figures)
	case "steps":
		engine, isEngine := queue.(Engine)
		if !isEngine {
			return fmt.Errorf("%s runs no workflows", p.Name)
		}
		return steps(ctx, engine, arguments.Jobs, emit)
	}
	arguments.Jobs = max(1, arguments.Jobs/max(1, p.Share))
	return bulk(ctx, queue, url, arguments, emit)
}

func bulk(ctx context.Context, queue Queue, url string, arguments Arguments, emit func(string, line) error) error {
	counters, err := openCounters(ctx, url)
	if err != nil {
		return err
	}
	defer counters.close(ctx)
	commitsBefore, _, err := counters.read(ctx)
	if err != nil {
		return err
	}
	walBefore, err := counters.wal(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	for first := 0; first < arguments.Jobs; first += Bulk {
		if err := queue.Enqueue(ctx, first, min(first+Bulk, arguments.Jobs)); err != nil {
			return fmt.Errorf("enqueue: %w", err)
		}
	}
	if err := emit("enqueue", rate(arguments.Jobs, time.Since(began))); err != nil {
		return err
	}
	walOfVacuum, err := counters.vacuum(ctx)
	if err != nil {
		return err
	}
	figures, err := drain(ctx, queue, arguments)
	if err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	walAfter, err := counters.wal(ctx)
	if err != nil {
		return err
	}
	// Its sessions report when they end.
	queue.Close()
	commitsAfter, dead, err := counters.read(ctx)
	if err != nil {
		return err
	}
	// A drain that was cut off has enqueued more than it finished: its cost a job would be too high.
	if jobs := float64(figures.Jobs); figures.Jobs >= arguments.Jobs {
		wal, commits := (walAfter-walBefore-walOfVacuum)/jobs, (commitsAfter-commitsBefore)/jobs
		figures.WalBytesPerJob, figures.CommitsPerJob, figures.DeadTuples = &wal, &commits, &dead
	}
	return emit("drain", figures)
}

// drain starts the workers on a full queue and waits until the store holds nothing unfinished, or the time is up.
func drain(ctx context.Context, queue Queue, arguments Arguments) (line, error) {
	var handled atomic.Int64
	began := time.Now()
	until := began.Add(arguments.Drain)
	if err := queue.Start(ctx, func(int) { handled.Add(1) }); err != nil {
		return line{}, err
	}
	for handled.Load() < int64(arguments.Jobs) && time.Now().Before(until) {
		time.Sleep(2 * time.Millisecond)
	}
	left, err := queue.Unfinished(ctx)
	for err == nil && left > 0 && time.Now().Before(until) {
		time.Sleep(5 * time.Millisecond)
		left, err = queue.Unfinished(ctx)
	}
	if err != nil {
		return line{}, err
	}
	figures := rate(arguments.Jobs-left, time.Since(began))
	return figures, queue.Stop(ctx)
}

// latency enqueues 50 jobs a second, one call each; from the call to the start of the handler, workers idle before.
func latency(ctx context.Context, queue Queue, lasting time.Duration) (line, error) {
	count := int(lasting / every)
	starts := newStarts(count)
	if err := queue.Start(ctx, starts.start); err != nil {
		return line{}, err
	}
	time.Sleep(500 * time.Millisecond)
	base := time.Now()
	failures := make(chan error, count)
	for number := range count {
		time.Sleep(time.Until(base.Add(time.Duration(number) * every)))
		starts.send(number)
		go func() { failures <- queue.EnqueueOne(ctx, number) }()
	}
	for range count {
		if err := <-failures; err != nil {
			return line{}, fmt.Errorf("enqueue one: %w", err)
		}
	}
	for until := time.Now().Add(30 * time.Second); starts.missing() > 0 && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
	if err := queue.Stop(ctx); err != nil {
		return line{}, err
	}
	times := starts.milliseconds()
	return line{
		Jobs: len(times), Seconds: lasting.Seconds(), PerSecond: float64(time.Second / every),
		P50: percentile(times, 50), P99: percentile(times, 99),
	}, nil
}

func rate(jobs int, took time.Duration) line {
	return line{Jobs: jobs, Seconds: took.Seconds(), PerSecond: float64(jobs) / took.Seconds()}
}

func milliseconds(took time.Duration) float64 { return float64(took.Nanoseconds()) / 1e6 }

// version is what is shown beside the name: by default that of the module which this program was built with.
func (p Peer) version() string {
	build, ok := debug.ReadBuildInfo()
	if p.Module == "" || !ok {
		return p.Version
	}
	for _, dependency := range build.Deps {
		if dependency.Path == p.Module {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return "unknown"
}
