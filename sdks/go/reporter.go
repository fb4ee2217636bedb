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
	// next asks for as many jobs as are reported, or nil; take starts those that came.
	next func(jobs int) *pollRequest
	take func(answer polled)
	// ctx ends when the worker has to.
	ctx    context.Context
	mutex  sync.Mutex
	queues map[string][]waiting
	active map[string]bool
}

func newReporter(ctx context.Context, worker *Worker) *reporter {
	return &reporter{
		channel: worker.channel, next: worker.nextPoll, take: worker.take,
		ctx: ctx, queues: map[string][]waiting{}, active: map[string]bool{},
	}
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
	body := reports{Jobs: make([]report, len(batch))}
	for i, entry := range batch {
		body.Jobs[i] = entry.report
	}
	if kind != kindRelease {
		body.Poll = r.next(len(batch))
	}
	for attempt := 0; ; attempt++ {
		answer, err := r.channel.send(r.ctx, kind, body)
		if err != nil && body.Poll != nil {
			// Jobs come by polls of their own until the report is through. A server of before has no polls in reports.
			body.Poll = nil
			if isInvalid(err) {
				continue
			}
		}
		if err == nil {
			// Before the reported jobs make room: what came takes it.
			r.take(answer.polled)
			results := answer.Results
			for i, entry := range batch {
				said := outcome{ID: entry.report.ID, Outcome: "ok"}
				if i < len(results) {
					said = results[i]
				}
				entry.answer <- reported{outcome: said}
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

// isInvalid says whether the server found the request wrong.
func isInvalid(err error) bool {
	var problem *ProblemError
	return errors.As(err, &problem) && problem.Code == "invalid"
}
