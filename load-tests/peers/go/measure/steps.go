package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Engine runs workflows whose steps are done by a worker in this process: each returns its input.
type Engine interface {
	// Run starts a workflow of so many steps, one after another, and answers when it is completed.
	Run(ctx context.Context, steps int) error
	// Close ends the worker and the engine.
	Close()
}

// A course is a number of workflows of so many steps, of which so many are in flight at once.
type course struct {
	steps, inFlight, workflows int
}

// courses are those of Trunkline's own scenario `steps`.
func courses(workflows int) []course {
	return []course{{1, 1, workflows}, {3, 1, workflows}, {9, 1, workflows / 2}, {3, 64, workflows * 2}}
}

// stepsLine is one line of output.
type stepsLine struct {
	Peer      string   `json:"peer"`
	Version   string   `json:"version"`
	Scenario  string   `json:"scenario"`
	Steps     int      `json:"steps"`
	InFlight  int      `json:"inFlight"`
	Workflows int      `json:"workflows"`
	Seconds   float64  `json:"seconds"`
	PerSecond float64  `json:"perSecond"`
	P50       *float64 `json:"p50Ms,omitempty"`
	P99       *float64 `json:"p99Ms,omitempty"`
}

// RunSteps measures from the call that starts a workflow to the answer that it is completed, for workflows of one,
// three and nine steps one at a time, and of three steps with 64 in flight.
func RunSteps(peer, module string, open func(ctx context.Context, url string) (Engine, error)) error {
	arguments, err := ReadArguments()
	if err != nil {
		return err
	}
	url, err := DatabaseURL()
	if err != nil {
		return err
	}
	ctx := context.Background()
	engine, err := open(ctx, url)
	if err != nil {
		return err
	}
	defer engine.Close()
	// The first runs pay for caches and connections.
	for range 5 {
		if err := engine.Run(ctx, 1); err != nil {
			return fmt.Errorf("warm up: %w", err)
		}
	}
	for _, course := range courses(arguments.Jobs) {
		figures, err := course.run(ctx, engine)
		if err != nil {
			return err
		}
		figures.Peer, figures.Version, figures.Scenario = peer, version(module), "steps"
		if err := json.NewEncoder(os.Stdout).Encode(figures); err != nil {
			return err
		}
	}
	return nil
}

func (c course) run(ctx context.Context, engine Engine) (stepsLine, error) {
	var next atomic.Int64
	var mutex sync.Mutex
	var times []float64
	var failed error
	var callers sync.WaitGroup
	began := time.Now()
	for range c.inFlight {
		callers.Go(func() {
			for next.Add(1) <= int64(c.workflows) {
				start := time.Now()
				err := engine.Run(ctx, c.steps)
				took := float64(time.Since(start).Nanoseconds()) / 1e6
				mutex.Lock()
				times = append(times, took)
				if err != nil && failed == nil {
					failed = fmt.Errorf("run %d steps: %w", c.steps, err)
				}
				mutex.Unlock()
			}
		})
	}
	callers.Wait()
	seconds := time.Since(began).Seconds()
	slices.Sort(times)
	return stepsLine{
		Steps: c.steps, InFlight: c.inFlight, Workflows: c.workflows,
		Seconds: seconds, PerSecond: float64(c.workflows) / seconds,
		P50: percentile(times, 50), P99: percentile(times, 99),
	}, failed
}
