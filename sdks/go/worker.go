package trunkline

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"trunkline.dev/go/api"
	"trunkline.dev/go/internal/wire"
)

const (
	pollWaitDefault = 20 * time.Second
	pollWaitMax     = 30 * time.Second
	pollJobsMax     = 100
	// A poll that is this much later than it was to wait is a channel that does not deliver, whatever becomes of it.
	pollLate     = 2 * time.Second
	drainDefault = 25 * time.Second
	// Cancelled handlers get this long to end before their jobs are given back without them.
	cancelGrace = time.Second
	// For so long a job of a type that has no handler here goes back, which no server should have sent.
	notOursDelay = time.Second
	// How long reports may take once the worker has to end.
	lastReports = 5 * time.Second
	// How many ends of leases are remembered for jobs that have not begun.
	endedMax = 1000
)

var errPollLate = errors.New("a poll has no answer")

// Worker serves job types until it is stopped. Create one with NewWorker, add handlers with Handle, and call Run once.
type Worker struct {
	client   *Client
	channel  channel
	settings workerSettings
	handlers map[string]Handler
	health   health
	metrics  metrics
	reporter *reporter
	beats    *heartbeats
	lines    *lineSender

	mutex sync.Mutex
	// By lease token: two attempts of a job may overlap here.
	running map[string]*attempt
	// Jobs of types that it does not have, on their way back.
	returning sync.WaitGroup
	// Why leases ended whose jobs have not begun yet, by lease token.
	ended map[string]string
	freed chan struct{}
	// drained is closed once the server says that an operator drains this worker.
	drained     chan struct{}
	onceDrained sync.Once
}

// NewWorker returns a worker without handlers.
func NewWorker(client *Client, options ...WorkerOption) *Worker {
	settings := defaultWorkerSettings()
	for _, option := range options {
		option(&settings)
	}
	return &Worker{
		client: client, channel: channel{client.transport}, settings: settings, handlers: map[string]Handler{},
		health: health{status: healthStarting}, running: map[string]*attempt{}, ended: map[string]string{}, freed: make(chan struct{}, 1),
		drained: make(chan struct{}),
	}
}

// Health is what /healthz says: "starting", "ok", "disconnected" or "draining".
func (w *Worker) Health() string {
	status, _ := w.health.get()
	return status
}

// Run serves until ctx ends, SIGTERM or SIGINT arrives, or an operator drains the worker. Then it takes no new jobs,
// waits for handlers up to the drain timeout, cancels the rest, releases their jobs, and returns nil. It fails if the
// server rejects the first poll.
func (w *Worker) Run(ctx context.Context) error {
	if len(w.handlers) == 0 {
		return errors.New("a worker needs at least one handler")
	}
	drainTimeout, err := w.settings.drain()
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)

	// Calls of reports and heartbeats go on while the worker drains.
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	w.reporter = newReporter(serving, w)
	w.beats = newHeartbeats(w.channel, func(err error) { w.event(Event{Kind: HeartbeatFailed, Err: err}) })
	go w.beats.run(serving)
	w.lines = newLineSender(w.channel)
	go w.lines.run(serving)
	if w.settings.healthAddress != "" {
		server, err := w.health.serve(w.settings.healthAddress, &w.metrics)
		if err != nil {
			return err
		}
		defer server.Close()
	}

	if pusher, pushes := w.client.transport.(api.Pusher); pushes {
		pusher.OnCancel(w.settings.workerID, func(leaseToken, reason string) {
			w.beats.remove(leaseToken)
			w.cancelled(leaseToken, reason)
		})
		defer pusher.EndDelivery(w.settings.workerID)
	}
	polling, stopPolling := context.WithCancel(ctx)
	defer stopPolling()
	polled := make(chan error, 1)
	go func() { polled <- w.poll(polling) }()
	// Signals that do not end the wait for handlers: the first one asks to drain, whatever asked before.
	spared := 0
	select {
	case <-signals:
	case <-ctx.Done():
		spared = 1
	case <-w.drained:
		spared = 1
		w.settings.logger.Info("an operator drains this worker: it ends")
	case err = <-polled:
		polled <- err
	}
	w.health.set(healthDraining, nil)
	stopPolling()
	err = <-polled
	if pusher, pushes := w.client.transport.(api.Pusher); pushes {
		pusher.EndDelivery(w.settings.workerID)
	}
	w.drain(drainTimeout, signals, spared, stopServing)
	return err
}

// nextPoll asks for as many jobs as are reported where no slot is free besides: otherwise a poll waits for jobs already.
func (w *Worker) nextPoll(jobs int) *pollRequest {
	if _, pushes := w.client.transport.(api.Pusher); pushes || w.Health() != healthOK || w.free() > 0 {
		return nil
	}
	request := w.pollRequest()
	request.MaxJobs = jobs
	return &request
}

// take begins the jobs that came with a report.
func (w *Worker) take(answer polled) {
	if len(answer.Jobs) > 0 {
		w.event(Event{Kind: Polled, Jobs: len(answer.Jobs)})
	}
	w.begin(answer)
}

// pollRequest is what each poll of this worker asks for.
func (w *Worker) pollRequest() pollRequest {
	request := pollRequest{WorkerID: w.settings.workerID, Tenant: w.client.tenant, Build: w.settings.build, Builds: w.settings.builds}
	for jobType := range w.handlers {
		request.JobTypes = append(request.JobTypes, jobType)
	}
	slices.Sort(request.JobTypes)
	if w.settings.tenant != "" {
		request.Tenant = w.settings.tenant
	}
	if w.settings.lease > 0 {
		request.Lease = durationText(w.settings.lease)
	}
	return request
}

func (w *Worker) poll(ctx context.Context) error {
	request := w.pollRequest()
	for failures, cameOnce := 0, false; ctx.Err() == nil; {
		request.MaxJobs = min(w.free(), pollJobsMax)
		if request.MaxJobs <= 0 {
			select {
			case <-w.freed:
			case <-ctx.Done():
			}
			continue
		}
		// Until polls come back they do not wait, so that the health is known at once.
		wait := time.Duration(0)
		if w.Health() == healthOK {
			wait = w.settings.pollWait
		}
		late := time.AfterFunc(wait+pollLate, func() { w.health.set(healthDisconnected, errPollLate) })
		answer, err := w.channel.poll(ctx, request, wait)
		late.Stop()
		if err == nil {
			failures, cameOnce = 0, true
			w.health.set(healthOK, nil)
			w.event(Event{Kind: Polled, Jobs: len(answer.Jobs)})
			w.begin(answer)
			if answer.Drain {
				return nil
			}
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		w.health.set(healthDisconnected, err)
		w.event(Event{Kind: PollFailed, Err: err})
		if !cameOnce && isFinal(err) {
			return err
		}
		w.settings.logger.Warn("poll failed", "error", err)
		wire.Sleep(ctx, api.RetryDelay(err, failures, mathrand.Float64()))
		failures++
	}
	return nil
}

// isFinal says whether a worker that never got a job has no use in asking again: a wrong key or address.
func isFinal(err error) bool {
	var problem *ProblemError
	return errors.As(err, &problem) && !api.IsTransient(err) && problem.Status < http.StatusInternalServerError
}

func (w *Worker) free() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.settings.concurrency - len(w.running)
}

func (w *Worker) begin(answer polled) {
	if answer.Drain {
		w.onceDrained.Do(func() { close(w.drained) })
	}
	for _, job := range answer.Jobs {
		w.beginJob(job)
	}
}

func (w *Worker) beginJob(job leasedJob) {
	handler, found := w.handlers[job.JobType]
	if !found {
		// Not ours, whatever the server thinks: another worker gets it, and this one not at once again.
		back := report{ID: job.ID, LeaseToken: job.LeaseToken, Delay: durationText(notOursDelay)}
		w.returning.Add(1)
		go func() {
			defer w.returning.Done()
			_, _ = w.reporter.send(kindRelease, back)
		}()
		return
	}
	for _, middleware := range slices.Backward(w.settings.middleware) {
		handler = middleware(handler)
	}
	a := newAttempt(job, w.lines.begin(job), w.settings.logger, w.beats.setProgress)
	w.mutex.Lock()
	w.running[job.LeaseToken] = a
	outcome, hasEnded := w.ended[job.LeaseToken]
	delete(w.ended, job.LeaseToken)
	w.mutex.Unlock()
	if hasEnded {
		w.cancelled(job.LeaseToken, outcome)
	}
	w.beats.add(job, w.settings.lease, func(outcome string) { w.cancelled(job.LeaseToken, outcome) })
	go w.serve(a, handler)
}

// cancelled cancels the handler of a job that is not this worker's any more.
func (w *Worker) cancelled(leaseToken, outcome string) {
	reason := ReasonLeaseLost
	if outcome == "cancelled" {
		reason = ReasonCancelled
	}
	w.mutex.Lock()
	a := w.running[leaseToken]
	if a == nil {
		// A stream may say so before the job's poll is answered. Most of these are of jobs that have ended here.
		if len(w.ended) >= endedMax {
			clear(w.ended)
		}
		w.ended[leaseToken] = outcome
	}
	w.mutex.Unlock()
	if a != nil {
		a.cancel(&Cancelled{reason})
	}
}

func (w *Worker) serve(a *attempt, handler Handler) {
	started := time.Now()
	w.event(Event{Kind: Started, JobType: a.job.JobType})
	go a.run(handler, w.client.codec)
	<-a.done
	if a.claimReport() && a.kind != kindNone {
		if err := w.settle(a); err != nil {
			w.settings.logger.Error("report failed", "job_id", a.job.ID, "error", err)
		}
	}
	w.event(Event{Kind: Finished, JobType: a.job.JobType, Outcome: a.kind, Duration: time.Since(started)})
	a.cancel(nil)
	w.beats.remove(a.job.LeaseToken)
	w.lines.forget(a.lines)
	w.mutex.Lock()
	delete(w.running, a.job.LeaseToken)
	w.mutex.Unlock()
	close(a.over)
	select {
	case w.freed <- struct{}{}:
	default:
	}
}

func (w *Worker) settle(a *attempt) error {
	if a.kind != kindComplete {
		w.sendLastProgress(a)
	}
	w.lines.end(w.reporter.ctx, a.lines)
	if a.kind == kindFail {
		Log(a.ctx).Warn("attempt failed", "error", a.report.Error.Message)
	}
	a.report.ID, a.report.LeaseToken = a.job.ID, a.job.LeaseToken
	answer, err := w.reporter.send(a.kind, a.report)
	var problem *ProblemError
	refused := errors.As(err, &problem) || (err == nil && answer.Outcome == "rejected")
	if !refused {
		return err
	}
	if err == nil {
		err = errors.New(answer.Reason)
	}
	if a.kind != kindComplete {
		return err
	}
	// A result that the server does not take fails the job.
	no, code := false, "result_refused"
	message := fmt.Sprintf("the server refused the result: %v", err)
	_, err = w.reporter.send(kindFail, report{
		ID: a.job.ID, LeaseToken: a.job.LeaseToken, Retryable: &no, Error: &api.JobError{Message: message, Code: &code},
	})
	return err
}

// sendLastProgress: the next attempt is to read what this one said last.
func (w *Worker) sendLastProgress(a *attempt) {
	progress := a.takeProgress()
	if progress == nil {
		return
	}
	beat := heartbeat{ID: a.job.ID, LeaseToken: a.job.LeaseToken, Progress: progress}
	if _, err := w.channel.heartbeat(w.reporter.ctx, []heartbeat{beat}, 5*time.Second); err != nil {
		w.event(Event{Kind: HeartbeatFailed, Err: err})
	}
}

// drain waits for handlers, cancels the rest and gives their jobs back. A second signal does not wait.
func (w *Worker) drain(limit time.Duration, signals <-chan os.Signal, spared int, stopServing func()) {
	w.wait(limit, signals, spared)
	left := w.attempts()
	for _, a := range left {
		a.cancel(&Cancelled{ReasonDraining})
	}
	w.wait(cancelGrace, nil, 0)
	giveUp := time.AfterFunc(lastReports, stopServing)
	defer giveUp.Stop()
	var given sync.WaitGroup
	for _, a := range w.attempts() {
		isOurs := a.claimReport()
		given.Add(1)
		go func() {
			defer given.Done()
			if !isOurs {
				// Its handler ended, and its report is on its way.
				<-a.over
				return
			}
			w.sendLastProgress(a)
			w.lines.end(w.reporter.ctx, a.lines)
			if _, err := w.reporter.send(kindRelease, report{ID: a.job.ID, LeaseToken: a.job.LeaseToken}); err != nil {
				w.settings.logger.Error("giving a job back failed", "job_id", a.job.ID, "error", err)
			}
		}()
	}
	given.Wait()
	w.returning.Wait()
}

func (w *Worker) attempts() []*attempt {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var left []*attempt
	for _, a := range w.running {
		left = append(left, a)
	}
	return left
}

// wait waits until nothing runs, the time is up, or cut gives more than is spared.
func (w *Worker) wait(limit time.Duration, cut <-chan os.Signal, spared int) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for len(w.attempts()) > 0 {
		select {
		case <-w.freed:
		case <-timer.C:
			return
		case <-cut:
			if spared == 0 {
				return
			}
			spared--
		}
	}
}

func (w *Worker) event(event Event) {
	w.metrics.count(event)
	if w.settings.onEvent != nil {
		w.settings.onEvent(event)
	}
}
