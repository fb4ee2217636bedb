package grpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
	"trunkline.dev/go/internal/wire"
)

// How long a new stream may take to say that it is there.
const openTimeout = 10 * time.Second

// delivery is the jobs of one worker, over one stream after another. It is opened by polls; a stream that breaks leaves what the
// worker has to it, whose reports go over the next stream or in calls of their own.
type delivery struct {
	transport *Transport
	// opening is held while a stream is opened.
	opening sync.Mutex

	mutex    sync.Mutex
	current  *stream
	onCancel func(leaseToken, reason string)
	ended    bool
	// An operator drains the worker: no other stream is opened.
	drained bool
	// Tokens of the leases that this worker has, by job.
	tokens map[string]string
}

// OnCancel implements api.Pusher.
func (t *Transport) OnCancel(workerID string, call func(leaseToken, reason string)) {
	d := t.delivery(workerID)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.onCancel, d.ended, d.drained = call, false, false
}

// EndDelivery implements api.Pusher.
func (t *Transport) EndDelivery(workerID string) {
	t.mutex.Lock()
	d := t.deliveries[workerID]
	t.mutex.Unlock()
	if d != nil {
		d.end()
	}
}

func (t *Transport) delivery(workerID string) *delivery {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	d := t.deliveries[workerID]
	if d == nil {
		d = &delivery{transport: t, tokens: map[string]string{}}
		t.deliveries[workerID] = d
	}
	return d
}

// owner gives the delivery that brought one of these jobs, if one did.
func (t *Transport) owner(leases []lease) *delivery {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, d := range t.deliveries {
		if d.has(leases) {
			return d
		}
	}
	return nil
}

func (d *delivery) has(leases []lease) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return slices.ContainsFunc(leases, func(one lease) bool { return d.tokens[one.ID] == one.LeaseToken })
}

// deliver carries out what goes over streams; false for everything else, such as a report while no stream is open.
func (t *Transport) deliver(ctx context.Context, request api.Request, out any, options []api.Option) (bool, error) {
	var settings api.Options
	for _, option := range options {
		option(&settings)
	}
	if settings.Timeout <= 0 {
		settings.Timeout = t.timeout
	}
	switch request.Name {
	case "pollJobs":
		ctx, cancel := context.WithTimeout(ctx, settings.Timeout)
		defer cancel()
		return true, t.poll(ctx, request, out)
	case "completeJobs", "failJobs", "releaseJobs", "heartbeatJobs":
		body, err := json.Marshal(request.Body)
		if err != nil {
			return true, fmt.Errorf("%s: the body is no JSON: %w", request.Name, err)
		}
		ctx, cancel := context.WithTimeout(ctx, settings.Timeout)
		defer cancel()
		return t.report(ctx, request.Name, body, out)
	}
	return false, nil
}

func (t *Transport) poll(ctx context.Context, request api.Request, out any) error {
	body, err := json.Marshal(request.Body)
	if err != nil {
		return fmt.Errorf("%s: the body is no JSON: %w", request.Name, err)
	}
	var asked trunklinev1.PollJobsRequest
	if err := readMessage(asked.ProtoReflect(), body); err != nil {
		return fmt.Errorf("%s: %w", request.Name, err)
	}
	wait, err := time.ParseDuration(asked.GetWait())
	if err != nil {
		wait = 0
	}
	jobs, err := t.delivery(asked.GetWorkerId()).poll(ctx, &asked, wait)
	answer := &trunklinev1.PolledJobs{Jobs: jobs}
	if err == errDrained {
		yes := true
		answer.Drain = &yes
	} else if err != nil {
		return err
	}
	text, err := appendMessage(nil, answer.ProtoReflect())
	if err != nil {
		return err
	}
	return wire.Unmarshal(text, out)
}

// poll gives what has come, else what comes within the wait; errDrained where an operator drains the worker.
func (d *delivery) poll(ctx context.Context, asked *trunklinev1.PollJobsRequest, wait time.Duration) ([]*trunklinev1.PolledJob, error) {
	until := time.NewTimer(wait)
	defer until.Stop()
	for {
		s, err := d.open(ctx, asked)
		if err != nil {
			return nil, err
		}
		s.grant(int(max(1, asked.GetMaxJobs())))
		jobs, changed, err := s.take(int(max(1, asked.GetMaxJobs())))
		if err != nil || len(jobs) > 0 {
			return jobs, err
		}
		select {
		case <-changed:
		case <-until.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (d *delivery) keep(jobs []*trunklinev1.PolledJob) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, job := range jobs {
		d.tokens[job.GetId()] = job.GetLeaseToken()
	}
}

// open gives the stream from which jobs come, a new one where there is none.
func (d *delivery) open(ctx context.Context, asked *trunklinev1.PollJobsRequest) (*stream, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	d.mutex.Lock()
	current, ended, drained := d.current, d.ended, d.drained
	d.mutex.Unlock()
	if ended {
		return nil, &api.ConnectionError{Call: "pollJobs", Err: errClosed}
	}
	if current != nil && current.delivers() {
		return current, nil
	}
	if drained {
		return nil, errDrained
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	fresh, err := openStream(ctx, d, asked)
	if err != nil {
		return nil, err
	}
	d.mutex.Lock()
	d.current, ended = fresh, d.ended
	d.mutex.Unlock()
	if ended {
		fresh.halfClose()
	}
	return fresh, nil
}

// end takes no more jobs: what was offered and not taken goes back.
func (d *delivery) end() {
	d.mutex.Lock()
	d.ended = true
	current := d.current
	d.current = nil
	d.mutex.Unlock()
	if current != nil {
		current.halfClose()
	}
}

// drain takes in that an operator drains the worker.
func (d *delivery) drain() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.drained = true
}

// cancelled takes in that a job is not the worker's any more.
func (d *delivery) cancelled(jobID, reason string) {
	d.mutex.Lock()
	token, call := d.tokens[jobID], d.onCancel
	delete(d.tokens, jobID)
	d.mutex.Unlock()
	if token != "" && call != nil {
		call(token, reason)
	}
}

// report reports over the stream of the worker; false where none is open, and the call is made by itself.
func (t *Transport) report(ctx context.Context, name string, body []byte, out any) (bool, error) {
	message, leases, err := reportOf(name, body)
	if err != nil {
		return true, fmt.Errorf("%s: %w", name, err)
	}
	d := t.owner(leases)
	if d == nil {
		return false, nil
	}
	said, err := d.overStream(ctx, message)
	if err == errBroken {
		// It is not known whether the server took it: reports carry their lease, so that they may come twice.
		if name != "heartbeatJobs" {
			d.leave(leases)
		}
		return false, nil
	}
	if err != nil {
		return true, err
	}
	if said.GetError() != nil {
		return true, problemOf(said.GetError())
	}
	if name != "heartbeatJobs" {
		d.forget(said.GetResults())
	}
	if out == nil {
		return true, nil
	}
	answer := &trunklinev1.Outcomes{Results: said.GetResults()}
	text, err := appendMessage(nil, answer.ProtoReflect())
	if err != nil {
		return true, err
	}
	return true, wire.Unmarshal(text, out)
}

// overStream makes a report over the stream that is open; errBroken where none is.
func (d *delivery) overStream(ctx context.Context, message *trunklinev1.FromWorker) (*trunklinev1.ReportOutcome, error) {
	d.mutex.Lock()
	current := d.current
	d.mutex.Unlock()
	if current == nil {
		return nil, errBroken
	}
	return current.report(ctx, message)
}

// leave drops jobs whose end is reported beside the stream.
func (d *delivery) leave(leases []lease) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, one := range leases {
		if d.tokens[one.ID] == one.LeaseToken {
			delete(d.tokens, one.ID)
		}
	}
}

// forget drops jobs that the worker is done with.
func (d *delivery) forget(results []*trunklinev1.Outcome) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, result := range results {
		if result.GetOutcome() != "rejected" {
			delete(d.tokens, result.GetId())
		}
	}
}

// lease is how each part of a report begins.
type lease struct {
	ID         string `json:"id"`
	LeaseToken string `json:"leaseToken"`
}

// reportOf reads the body of a report, and gives the jobs that it is about.
func reportOf(name string, body []byte) (message *trunklinev1.FromWorker, leases []lease, err error) {
	var sent struct {
		Jobs []lease `json:"jobs"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, nil, err
	}
	message = &trunklinev1.FromWorker{}
	var inner proto.Message
	switch name {
	case "completeJobs":
		own := &trunklinev1.CompleteJobsRequest{}
		message.Message, inner = &trunklinev1.FromWorker_Complete{Complete: own}, own
	case "failJobs":
		own := &trunklinev1.FailJobsRequest{}
		message.Message, inner = &trunklinev1.FromWorker_Fail{Fail: own}, own
	case "releaseJobs":
		own := &trunklinev1.ReleaseJobsRequest{}
		message.Message, inner = &trunklinev1.FromWorker_Release{Release: own}, own
	default:
		own := &trunklinev1.HeartbeatJobsRequest{}
		message.Message, inner = &trunklinev1.FromWorker_Heartbeat{Heartbeat: own}, own
	}
	return message, sent.Jobs, readMessage(inner.ProtoReflect(), body)
}
