package trunklinetest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
)

// Job is a job of Memory.
type Job struct {
	ID      string
	Type    string
	Data    json.RawMessage
	Status  api.JobStatus
	Attempt int
	// Snoozes is the number of times that it was released without consuming an attempt.
	Snoozes  int
	Result   json.RawMessage
	Error    *api.JobError
	Progress json.RawMessage
	// Waits are the delays that retries and snoozes requested; no time actually passes.
	Waits []string

	maxRetries int
	token      string
}

// Memory is an in-memory server for workers and clients of a test: a transport that supports enqueue, poll, reports and
// reading a job. Retries and snoozes run immediately.
type Memory struct {
	mutex  sync.Mutex
	jobs   map[string]*Job
	queue  []*Job
	change chan struct{}
	polls  int
}

// NewMemory returns an empty one.
func NewMemory() *Memory {
	return &Memory{jobs: map[string]*Job{}, change: make(chan struct{})}
}

// Client returns a client of it.
func (m *Memory) Client(options ...trunkline.ClientOption) *trunkline.Client {
	client, err := trunkline.NewClient(append(options, trunkline.WithTransport(m))...)
	if err != nil {
		panic(err) // With a transport of its own, nothing is opened that could fail.
	}
	return client
}

// Drain runs the worker until nothing is queued or running, or ctx ends.
func (m *Memory) Drain(ctx context.Context, worker *trunkline.Worker) error {
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- worker.Run(running) }()
	for m.open() && ctx.Err() == nil {
		select {
		case <-m.changed():
		case <-ctx.Done():
		}
	}
	stop()
	if err := <-done; err != nil {
		return err
	}
	return ctx.Err()
}

// Polls is the number of separate polls, excluding polls in reports.
func (m *Memory) Polls() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.polls
}

// Job returns the current state of a job.
func (m *Memory) Job(id string) Job {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if job := m.jobs[id]; job != nil {
		return *job
	}
	return Job{}
}

func (m *Memory) open() bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, job := range m.jobs {
		if job.Status == api.JobStatusQueued || job.Status == api.JobStatusProcessing {
			return true
		}
	}
	return false
}

func (m *Memory) changed() <-chan struct{} {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.change
}

// announce wakes what waits for a change. The mutex is held.
func (m *Memory) announce() {
	close(m.change)
	m.change = make(chan struct{})
}

// Name implements api.Transport.
func (m *Memory) Name() string { return "memory" }

// Close implements api.Transport.
func (m *Memory) Close() error { return nil }

// Events implements api.Transport; there are none.
func (m *Memory) Events(context.Context, func()) iter.Seq2[api.ChangeEvent, error] {
	return func(func(api.ChangeEvent, error) bool) {}
}

// Call implements api.Transport.
func (m *Memory) Call(ctx context.Context, request api.Request, out any, _ ...api.Option) error {
	body, err := json.Marshal(request.Body)
	if err != nil {
		return err
	}
	var answer any
	switch request.Name {
	case "enqueueJob":
		answer, err = m.enqueue(body)
	case "pollJobs":
		answer, err = m.poll(ctx, body)
	case "completeJobs", "failJobs", "releaseJobs", "heartbeatJobs":
		answer, err = m.report(request.Name, body)
	case "getJob":
		answer, err = m.read(ctx, strings.TrimPrefix(request.Path, "/v1/jobs/"))
	default:
		err = fmt.Errorf("%s: the server in memory does not know this call; use DevServer", request.Name)
	}
	if err != nil || out == nil {
		return err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

func (m *Memory) enqueue(body []byte) (any, error) {
	var request api.JobRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	job := &Job{
		ID: fmt.Sprintf("job_%032x", len(m.jobs)+1), Type: request.JobType, Data: request.Data, Status: api.JobStatusQueued, maxRetries: 3,
	}
	if request.MaxRetries != nil {
		job.maxRetries = int(*request.MaxRetries)
	}
	m.jobs[job.ID] = job
	m.queue = append(m.queue, job)
	m.announce()
	return api.Enqueued{ID: job.ID, Status: job.Status}, nil
}

func (m *Memory) poll(ctx context.Context, body []byte) (any, error) {
	var request api.Poll
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	m.mutex.Lock()
	m.polls++
	m.mutex.Unlock()
	for {
		changed := m.changed()
		if jobs := m.take(request); len(jobs) > 0 || request.Wait == nil || *request.Wait == "0ms" {
			return map[string]any{"jobs": jobs}, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (m *Memory) take(request api.Poll) []map[string]any {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	wanted := map[string]bool{}
	for _, jobType := range request.JobTypes {
		wanted[jobType] = true
	}
	taken := []map[string]any{}
	var left []*Job
	for _, job := range m.queue {
		if !wanted[job.Type] || len(taken) >= int(*request.MaxJobs) {
			left = append(left, job)
			continue
		}
		job.Status, job.Attempt = api.JobStatusProcessing, job.Attempt+1
		job.token = fmt.Sprintf("%s-%d-%d", job.ID, job.Attempt, job.Snoozes)
		taken = append(taken, map[string]any{
			"id": job.ID, "jobType": job.Type, "data": job.Data, "attempt": job.Attempt, "tenant": "default",
			"leaseToken": job.token, "leaseExpiresAt": time.Now().Add(time.Minute), "progress": job.Progress, "idempotencyKey": job.ID,
		})
	}
	m.queue = left
	return taken
}

type memoryReport struct {
	ID         string          `json:"id"`
	LeaseToken string          `json:"leaseToken"`
	Result     json.RawMessage `json:"result"`
	Error      *api.JobError   `json:"error"`
	Retryable  *bool           `json:"retryable"`
	RetryAfter string          `json:"retryAfter"`
	Delay      string          `json:"delay"`
	Progress   json.RawMessage `json:"progress"`
}

func (m *Memory) report(name string, body []byte) (any, error) {
	var reports struct {
		Jobs []memoryReport `json:"jobs"`
		Poll *api.Poll      `json:"poll"`
	}
	if err := json.Unmarshal(body, &reports); err != nil {
		return nil, err
	}
	results := m.applyAll(name, reports.Jobs)
	if reports.Poll == nil {
		return api.Outcomes{Results: results}, nil
	}
	return map[string]any{"results": results, "jobs": m.take(*reports.Poll)}, nil
}

func (m *Memory) applyAll(name string, reports []memoryReport) []api.Outcome {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var results []api.Outcome
	for _, report := range reports {
		outcome := api.LeaseOutcome("lease_lost")
		if job := m.jobs[report.ID]; job != nil && job.Status == api.JobStatusProcessing && job.token == report.LeaseToken {
			outcome = "ok"
			m.apply(name, job, report)
		}
		results = append(results, api.Outcome{ID: report.ID, Outcome: outcome})
	}
	m.announce()
	return results
}

func (m *Memory) apply(name string, job *Job, report memoryReport) {
	switch name {
	case "heartbeatJobs":
		if report.Progress != nil {
			job.Progress = report.Progress
		}
	case "completeJobs":
		job.Status, job.Result = api.JobStatusCompleted, report.Result
	case "releaseJobs":
		job.Attempt--
		job.Snoozes++
		m.again(job, report.Delay)
	case "failJobs":
		job.Error = report.Error
		if (report.Retryable != nil && !*report.Retryable) || job.Attempt > job.maxRetries {
			job.Status = api.JobStatusDeadLetter
			return
		}
		m.again(job, report.RetryAfter)
	}
}

func (m *Memory) again(job *Job, wait string) {
	if wait != "" {
		job.Waits = append(job.Waits, wait)
	}
	job.Status = api.JobStatusQueued
	m.queue = append(m.queue, job)
}

// read holds the answer until the job ends or ctx does.
func (m *Memory) read(ctx context.Context, id string) (any, error) {
	for {
		changed := m.changed()
		job := m.Job(id)
		switch job.Status {
		case "":
			return nil, &trunkline.ProblemError{Problem: api.Problem{Status: http.StatusNotFound, Code: "not_found"}, RetryAfter: -1}
		case api.JobStatusCompleted, api.JobStatusDeadLetter:
			return api.Job{ID: job.ID, JobType: job.Type, Status: job.Status, Result: job.Result, Error: job.Error}, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
