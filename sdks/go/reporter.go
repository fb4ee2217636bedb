package trunkline

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"sync"

	"trunkline.dev/go/api"
	"trunkline.dev/go/internal/wire"
)

const reportsMax = 100

type waiting struct {
	report report
	answer chan reported
}

type reported struct {
	outcome outcome
	err     error
}

// reporter reports the ends of jobs: what ends while a report is under way goes into the next one, and nothing is given up
// while the server may come back.
type reporter struct {
	channel channel
	// ctx ends when the worker has to.
	ctx    context.Context
	mutex  sync.Mutex
	queues map[string][]waiting
	active map[string]bool
}

func newReporter(ctx context.Context, channel channel) *reporter {
	return &reporter{channel: channel, ctx: ctx, queues: map[string][]waiting{}, active: map[string]bool{}}
}

// send reports one job and gives what the server said of it.
func (r *reporter) send(kind string, item report) (outcome, error) {
	entry := waiting{item, make(chan reported, 1)}
	r.mutex.Lock()
	r.queues[kind] = append(r.queues[kind], entry)
	if !r.active[kind] {
		r.active[kind] = true
		go r.drain(kind)
	}
	r.mutex.Unlock()
	answer := <-entry.answer
	return answer.outcome, answer.err
}

func (r *reporter) drain(kind string) {
	for {
		r.mutex.Lock()
		queue := r.queues[kind]
		if len(queue) == 0 {
			r.active[kind] = false
			r.mutex.Unlock()
			return
		}
		batch := queue[:min(len(queue), reportsMax)]
		r.queues[kind] = queue[len(batch):]
		r.mutex.Unlock()
		r.sendBatch(kind, batch)
	}
}

func (r *reporter) sendBatch(kind string, batch []waiting) {
	reports := make([]report, len(batch))
	for i, entry := range batch {
		reports[i] = entry.report
	}
	for attempt := 0; ; attempt++ {
		results, err := r.channel.send(r.ctx, kind, reports)
		if err == nil {
			for i, entry := range batch {
				answer := outcome{ID: entry.report.ID, Outcome: "ok"}
				if i < len(results) {
					answer = results[i]
				}
				entry.answer <- reported{outcome: answer}
			}
			return
		}
		mayPass := api.IsTransient(err) || errors.Is(err, context.DeadlineExceeded)
		if mayPass && wire.Sleep(r.ctx, api.RetryDelay(err, attempt, mathrand.Float64())) {
			continue
		}
		if len(batch) > 1 && r.ctx.Err() == nil {
			// One report spoils the batch: each by itself shows which.
			for i := range batch {
				r.sendBatch(kind, batch[i:i+1])
			}
			return
		}
		for _, entry := range batch {
			entry.answer <- reported{err: err}
		}
		return
	}
}
