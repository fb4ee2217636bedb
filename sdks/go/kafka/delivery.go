package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"trunkline.dev/go/api"
)

const (
	// A reader buffers at most so many times what its worker asked for, and at least so many messages.
	roomFactor, roomMin = 2, 16
	acceptTimeout       = 15 * time.Second
	acceptMax           = 500
	// How much longer than its lease nothing may be heard of a job before its message is over all the same.
	grace      = time.Minute
	closeLimit = 10 * time.Second
)

var errEnded = errors.New("the worker takes no more jobs")

// held is a job that a worker has.
type held struct {
	// Its message, and those that came again.
	offers []*offer
	// Its lease has surely ended by then, unless a heartbeat renews it.
	until time.Time
}

// delivery is the jobs of one worker: offers are accepted when slots are free, and their messages are over with their jobs.
type delivery struct {
	rest     api.Transport
	workerID string
	readers  []*reader

	mutex   sync.Mutex
	changed chan struct{}
	held    map[string]held
	// over is the tokens of jobs that ended since offers were last accepted.
	over  map[string]bool
	ended bool
}

type lease struct {
	ID         string `json:"id"`
	LeaseToken string `json:"leaseToken"`
}

type accepted struct {
	Outcome        string          `json:"outcome"`
	LeaseToken     string          `json:"leaseToken"`
	LeaseExpiresAt time.Time       `json:"leaseExpiresAt"`
	Progress       json.RawMessage `json:"progress"`
}

// change wakes those who wait. Called under the mutex.
func (d *delivery) change() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// poll gives jobs that this worker has the leases of, within the wait.
func (d *delivery) poll(ctx context.Context, count int, wait time.Duration) ([]map[string]json.RawMessage, error) {
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		offers, err := d.waitForOffers(within, min(max(1, count), acceptMax))
		if err != nil || len(offers) == 0 {
			return nil, errors.Join(err, ctx.Err())
		}
		if jobs, err := d.accept(ctx, offers); err != nil || len(jobs) > 0 {
			return jobs, err
		}
	}
}

// waitForOffers gives none when the time is up.
func (d *delivery) waitForOffers(ctx context.Context, count int) ([]*offer, error) {
	for {
		d.mutex.Lock()
		d.sweep(time.Now())
		offers, changed, ended := []*offer(nil), d.changed, d.ended
		var failure error
		for _, r := range d.readers {
			failure = errors.Join(failure, r.failure)
		}
		if !ended {
			offers = take(d.readers, count)
		}
		d.mutex.Unlock()
		switch {
		case ended:
			return nil, &api.ConnectionError{Call: "pollJobs", Err: errEnded}
		case len(offers) > 0:
			return offers, nil
		case failure != nil:
			return nil, &api.ConnectionError{Call: "pollJobs", Err: fmt.Errorf("Kafka is not reached: %w", failure)}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

func (d *delivery) accept(ctx context.Context, offers []*offer) ([]map[string]json.RawMessage, error) {
	leases := make([]lease, len(offers))
	for place, one := range offers {
		leases[place] = lease{one.id, one.token}
	}
	d.mutex.Lock()
	clear(d.over)
	d.mutex.Unlock()
	body := map[string]any{"workerId": d.workerID, "jobs": leases}
	request := api.Request{Name: "acceptJobs", Method: http.MethodPost, Path: "/v1/jobs/accept", Body: body}
	var answer struct {
		Results []accepted `json:"results"`
	}
	// Also where the worker ends meanwhile: nobody else would give back what the server has leased to it by then.
	err := d.rest.Call(context.WithoutCancel(ctx), request, &answer, api.Timeout(acceptTimeout), api.NoRetry())
	if err == nil && len(answer.Results) != len(offers) {
		err = &api.ConnectionError{Call: "acceptJobs", Err: errors.New("the answer is not about what was asked")}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err != nil {
		// They are asked about again, those first that came first: accepting may be repeated.
		for place := len(offers) - 1; place >= 0; place-- {
			offers[place].reader.putBack(offers[place])
		}
		return nil, err
	}
	var jobs []map[string]json.RawMessage
	for place, result := range answer.Results {
		one := offers[place]
		if result.Outcome != "ok" {
			// A duplicate, or an offer that the store has withdrawn: it does not run.
			one.reader.offsets.over(one.record.partition, one.record.offset)
			continue
		}
		// The deadline of an offer is the latest possible one; the lease ends with that of the attempt.
		delete(one.job, "deadline")
		one.job["leaseToken"], _ = json.Marshal(result.LeaseToken)
		one.job["leaseExpiresAt"], _ = json.Marshal(result.LeaseExpiresAt)
		if result.Progress != nil {
			one.job["progress"] = result.Progress
		}
		known, runs := d.held[result.LeaseToken]
		switch {
		case d.over[result.LeaseToken]:
			// Its job ended here while this was asked.
			one.reader.offsets.over(one.record.partition, one.record.offset)
			continue
		case !runs:
			jobs = append(jobs, one.job)
		}
		// What runs here came again, as after a rebalance: the server answers the same, and it does not run twice.
		d.held[result.LeaseToken] = held{append(known.offers, one), result.LeaseExpiresAt.Add(grace)}
	}
	return jobs, nil
}

type outcomes struct {
	Results []struct {
		Outcome        string    `json:"outcome"`
		LeaseExpiresAt time.Time `json:"leaseExpiresAt"`
	} `json:"results"`
}

// report takes in what the server said of jobs: those that are not this worker's any more are over.
func (d *delivery) report(leases []lease, said outcomes, renews bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for place, result := range said.Results {
		if place >= len(leases) {
			return
		}
		token := leases[place].LeaseToken
		known, found := d.held[token]
		switch {
		case !found || result.Outcome == "rejected":
		case renews && result.Outcome == "ok":
			if !result.LeaseExpiresAt.IsZero() {
				known.until = result.LeaseExpiresAt.Add(grace)
				d.held[token] = known
			}
		default:
			d.finish(token)
		}
	}
}

// sweep: a report that never came through leaves a lease that ends by itself, and its job is offered anew.
func (d *delivery) sweep(now time.Time) {
	for token, one := range d.held {
		if one.until.Before(now) {
			d.finish(token)
		}
	}
}

// finish: a job ended, and its messages with it. Called under the mutex.
func (d *delivery) finish(token string) {
	for _, one := range d.held[token].offers {
		one.reader.offsets.over(one.record.partition, one.record.offset)
	}
	delete(d.held, token)
	d.over[token] = true
}

// end takes no more jobs. Messages of jobs that still run are not committed: whoever reads them next is answered "taken".
func (d *delivery) end() {
	d.mutex.Lock()
	ended := d.ended
	d.ended = true
	d.change()
	d.mutex.Unlock()
	if ended {
		return
	}
	var all sync.WaitGroup
	for _, r := range d.readers {
		all.Add(1)
		go func() {
			defer all.Done()
			r.close(closeLimit)
		}()
	}
	all.Wait()
}
