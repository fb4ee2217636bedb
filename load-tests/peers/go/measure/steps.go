package measure

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Engine is a queue that runs workflows, too.
type Engine interface {
	Queue
	// StartSteps starts a worker for workflows of so many steps each, one after another, which return their input.
	StartSteps(ctx context.Context, counts []int) error
	// RunSteps starts a workflow of so many steps and answers when it has completed.
	RunSteps(ctx context.Context, count int) error
}

const (
	// warmUp is how many workflows run before the first that is timed: they pay for caches and connections.
	warmUp = 5
	// settleMax is how long an engine may take until its first workflow completes.
	settleMax = 90 * time.Second
	// pauseOfSettling is between two attempts to run the first workflow.
	pauseOfSettling = 500 * time.Millisecond
)

// course is a number of workflows of so many steps, of which so many are in flight at once.
type course struct {
	steps, inFlight, workflows int
}

// courses are those of the driver's own scenario `steps`.
func courses(workflows int) []course {
	return []course{{1, 1, workflows}, {3, 1, workflows}, {9, 1, max(1, workflows/2)}, {3, 64, workflows * 2}}
}

// steps measures from the call that starts a workflow to the answer that it has completed.
func steps(ctx context.Context, engine Engine, workflows int, emit func(string, line) error) error {
	if err := engine.StartSteps(ctx, []int{1, 3, 9}); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	if err := settle(ctx, engine); err != nil {
		return err
	}
	for _, course := range courses(workflows) {
		figures, err := course.run(ctx, engine)
		if err != nil {
			return err
		}
		if err := emit("steps", figures); err != nil {
			return err
		}
	}
	return nil
}

// settle runs a few workflows that are not timed. Before the first one an engine may need a while to know its worker.
func settle(ctx context.Context, engine Engine) error {
	until := time.Now().Add(settleMax)
	for done := 0; done < warmUp; {
		attempt, cancel := context.WithDeadline(ctx, until)
		err := engine.RunSteps(attempt, 3)
		cancel()
		switch {
		case err == nil:
			done++
		case time.Now().After(until):
			return fmt.Errorf("run a first workflow: %w", err)
		default:
			time.Sleep(pauseOfSettling)
		}
	}
	return nil
}

// run starts all workflows of a course. The first failure ends it: times of a run with failures say nothing.
func (c course) run(ctx context.Context, engine Engine) (line, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var callers sync.WaitGroup
	times := make([]float64, c.workflows)
	began := time.Now()
	for range c.inFlight {
		callers.Go(func() {
			for number := next.Add(1) - 1; number < int64(c.workflows) && ctx.Err() == nil; number = next.Add(1) - 1 {
				start := time.Now()
				if err := engine.RunSteps(ctx, c.steps); err != nil {
					cancel(fmt.Errorf("run %d steps: %w", c.steps, err))
					return
				}
				times[number] = milliseconds(time.Since(start))
			}
		})
	}
	callers.Wait()
	figures := rate(c.workflows, time.Since(began))
	if ctx.Err() != nil {
		return figures, context.Cause(ctx)
	}
	slices.Sort(times)
	figures.Steps, figures.InFlight = c.steps, c.inFlight
	figures.P50, figures.P99 = percentile(times, 50), percentile(times, 99)
	return figures, nil
}
