package trunkline

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"trunkline.dev/go/api"
)

const (
	// How much later than it was to wait a poll may be answered before it is given up: the jobs of an answer that nobody takes
	// would wait for the end of their leases.
	pollGrace     = 10 * time.Second
	reportTimeout = 30 * time.Second
)

type pollRequest struct {
	WorkerID string   `json:"workerId"`
	JobTypes []string `json:"jobTypes"`
	MaxJobs  int      `json:"maxJobs"`
	Wait     string   `json:"wait,omitempty"`
	Lease    string   `json:"lease,omitempty"`
	Tenant   string   `json:"tenant,omitempty"`
	Build    string   `json:"build,omitempty"`
	Builds   []string `json:"builds,omitempty"`
}

type heartbeat struct {
	ID         string          `json:"id"`
	LeaseToken string          `json:"leaseToken"`
	Progress   json.RawMessage `json:"progress,omitempty"`
}

type outcome struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
}

// channel is the calls of a worker.
type channel struct{ transport api.Transport }

// polled is the answer to a poll. With Drain an operator drains this worker: it gets no more jobs, and ends.
type polled struct {
	Jobs  []leasedJob `json:"jobs"`
	Drain bool        `json:"drain"`
}

func (c channel) poll(ctx context.Context, request pollRequest, wait time.Duration) (polled, error) {
	var answer polled
	request.Wait = durationText(wait)
	call := api.Request{Name: "pollJobs", Method: http.MethodPost, Path: "/v1/jobs/poll", Body: request}
	err := c.transport.Call(ctx, call, &answer, api.Timeout(wait+pollGrace), api.NoRetry())
	return answer, err
}

// reports is a call that settles jobs, with a poll for the next ones where the worker has room for them.
type reports struct {
	Jobs []report     `json:"jobs"`
	Poll *pollRequest `json:"poll,omitempty"`
}

type settled struct {
	Results []outcome `json:"results"`
	polled
}

// send sends reports of one kind. All carry their lease, so that repeating them is safe; jobs of an answer that was lost
// go back to their queue when their leases end.
func (c channel) send(ctx context.Context, kind string, body reports) (settled, error) {
	var answer settled
	call := api.Request{Name: kind + "Jobs", Method: http.MethodPost, Path: "/v1/jobs/" + kind, Body: body}
	err := c.transport.Call(ctx, call, &answer, api.Timeout(reportTimeout))
	return answer, err
}

// log sends lines of leased jobs once.
func (c channel) log(ctx context.Context, jobs []jobLines, limit time.Duration) error {
	body := map[string][]jobLines{"jobs": jobs}
	call := api.Request{Name: "logJobs", Method: http.MethodPost, Path: "/v1/jobs/logs", Body: body}
	return c.transport.Call(ctx, call, &struct{}{}, api.Timeout(limit), api.NoRetry())
}

// heartbeat renews leases once.
func (c channel) heartbeat(ctx context.Context, beats []heartbeat, limit time.Duration) ([]outcome, error) {
	var answer struct {
		Results []outcome `json:"results"`
	}
	body := map[string][]heartbeat{"jobs": beats}
	call := api.Request{Name: "heartbeatJobs", Method: http.MethodPost, Path: "/v1/jobs/heartbeat", Body: body}
	err := c.transport.Call(ctx, call, &answer, api.Timeout(limit), api.NoRetry())
	return answer.Results, err
}
