package trunkline

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

const (
	// What is assumed where the clocks of worker and server are too far apart to tell.
	leaseAssumed     = 30 * time.Second
	leaseBelievedMax = time.Hour
	// A clock that is behind the server's must not cost the lease.
	heartbeatEveryMax = 10 * time.Second
	// Progress goes out at least this soon.
	progressDelay     = 250 * time.Millisecond
	heartbeatJobsMax  = 1000
	heartbeatUnsure   = 500 * time.Millisecond
	heartbeatShortest = 100 * time.Millisecond
)

// lease is a lease that is renewed. Its key is its token: the next attempt of the same job may be in this process too.
type lease struct {
	id       string
	length   time.Duration
	every    time.Duration
	due      time.Time
	ends     time.Time
	progress json.RawMessage
	// bare: the next heartbeat goes without progress, because the server refused what the last one had.
	bare bool
	lost func(outcome string)
}

// heartbeats renews the leases of running jobs from a goroutine of its own. Each is renewed after a third of its length; one that
// could not be renewed until its end counts as lost.
type heartbeats struct {
	channel channel
	onError func(error)
	wake    chan struct{}
	mutex   sync.Mutex
	leases  map[string]*lease
}

func newHeartbeats(channel channel, onError func(error)) *heartbeats {
	return &heartbeats{channel: channel, onError: onError, wake: make(chan struct{}, 1), leases: map[string]*lease{}}
}

// leaseLength is how long the lease of a job that just came holds, and whether that is known.
func leaseLength(expires, now time.Time) (time.Duration, bool) {
	if length := expires.Sub(now); length > 0 && length < leaseBelievedMax {
		return length, true
	}
	return leaseAssumed, false
}

// add begins to renew. Zero is the length that the job says.
func (h *heartbeats) add(job leasedJob, length time.Duration, lost func(string)) {
	now, known := time.Now(), true
	if length <= 0 {
		length, known = leaseLength(job.LeaseExpiresAt, now)
	}
	every := min(length/3, heartbeatEveryMax)
	if !known {
		// Either a clock is wrong, or the lease is over already: the next heartbeat tells.
		every = heartbeatUnsure
	}
	h.mutex.Lock()
	h.leases[job.LeaseToken] = &lease{id: job.ID, length: length, every: every, due: now.Add(every), ends: now.Add(length), lost: lost}
	h.mutex.Unlock()
	h.wakeUp()
}

func (h *heartbeats) remove(token string) {
	h.mutex.Lock()
	delete(h.leases, token)
	h.mutex.Unlock()
}

func (h *heartbeats) setProgress(token string, value json.RawMessage) {
	h.mutex.Lock()
	if lease := h.leases[token]; lease != nil {
		lease.progress = value
		if soon := time.Now().Add(progressDelay); soon.Before(lease.due) {
			lease.due = soon
		}
	}
	h.mutex.Unlock()
	h.wakeUp()
}

func (h *heartbeats) wakeUp() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// run renews until ctx ends.
func (h *heartbeats) run(ctx context.Context) {
	for ctx.Err() == nil {
		timer := time.NewTimer(time.Until(h.next()))
		select {
		case <-timer.C:
			h.beat(ctx)
		case <-h.wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// next is when something is to be done.
func (h *heartbeats) next() time.Time {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	next := time.Now().Add(time.Hour)
	for _, lease := range h.leases {
		for _, at := range []time.Time{lease.due, lease.ends} {
			if at.Before(next) {
				next = at
			}
		}
	}
	return next
}

func (h *heartbeats) beat(ctx context.Context) {
	now := time.Now()
	beats, limit := h.collect(now)
	if len(beats) == 0 {
		return
	}
	results, err := h.channel.heartbeat(ctx, beats, limit)
	if err != nil && ctx.Err() == nil {
		h.onError(err)
	}
	if err != nil {
		results = nil
	}
	for _, refused := range h.apply(beats, results, now) {
		h.onError(refused)
	}
}

// apply takes the results of heartbeats that were sent at a time, none for those without an answer. It gives what was refused.
func (h *heartbeats) apply(beats []heartbeat, results []outcome, sent time.Time) []error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	var refused []error
	for i, beat := range beats {
		lease := h.leases[beat.LeaseToken]
		if lease == nil {
			continue
		}
		if i >= len(results) {
			lease.due = time.Now().Add(min(lease.every/2, time.Second))
			continue
		}
		switch results[i].Outcome {
		case "cancelled", "lease_lost", "already_done":
			delete(h.leases, beat.LeaseToken)
			lease.lost(results[i].Outcome)
			continue
		}
		newer := string(lease.progress) != string(beat.Progress)
		if !newer {
			lease.progress = nil
		}
		if lease.bare = results[i].Outcome == "rejected"; lease.bare {
			// Nothing was renewed: another heartbeat goes at once, and no progress keeps it from that.
			lease.due = time.Now()
			if beat.Progress == nil {
				lease.due = lease.due.Add(min(lease.every/2, time.Second))
			}
			refused = append(refused, fmt.Errorf("the server refused the progress of %s: %s", lease.id, results[i].Reason))
			continue
		}
		lease.ends, lease.due = sent.Add(lease.length), sent.Add(lease.every)
		if newer {
			lease.due = time.Now().Add(progressDelay)
		}
	}
	return refused
}

// collect drops what ended and gives what is due, with those that are due soon, and how long the call may take.
func (h *heartbeats) collect(now time.Time) ([]heartbeat, time.Duration) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	var beats []heartbeat
	limit := heartbeatEveryMax
	for token, lease := range h.leases {
		if !lease.ends.After(now) {
			delete(h.leases, token)
			lease.lost("lease_lost")
			continue
		}
		if lease.due.After(now.Add(lease.every/5)) || len(beats) == heartbeatJobsMax {
			continue
		}
		beat := heartbeat{ID: lease.id, LeaseToken: token, Progress: lease.progress}
		if lease.bare {
			beat.Progress = nil
		}
		beats = append(beats, beat)
		limit = min(limit, lease.ends.Sub(now), max(lease.every, 500*time.Millisecond))
	}
	return beats, max(limit, heartbeatShortest)
}
