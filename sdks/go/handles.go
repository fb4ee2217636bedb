package trunkline

import (
	"context"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"trunkline.dev/go/api"
	"trunkline.dev/go/internal/wire"
)

// How long one question to the server may be held, and how much longer its answer may take.
const (
	heldMax   = 20 * time.Second
	heldGrace = 10 * time.Second
)

// JobHandle is a handle of a job.
type JobHandle struct {
	client *Client
	ID     string
	// Existing reports whether the job existed before the enqueue that returned this handle.
	Existing bool
}

// Get reads the job as it is now, with its attempts.
func (j *JobHandle) Get(ctx context.Context) (api.Job, error) {
	var job api.Job
	err := j.client.transport.Call(ctx, j.request(nil), &job)
	return job, err
}

// Cancel cancels the job; the context of its handler is cancelled with the next heartbeat.
func (j *JobHandle) Cancel(ctx context.Context) error {
	_, err := j.client.API.CancelJob(ctx, j.ID)
	return err
}

// Wait waits until ctx ends for the result, and decodes it into out, unless out is nil. It fails with *JobFailed once the job is a
// dead letter or cancelled; when ctx ends, the job continues.
func (j *JobHandle) Wait(ctx context.Context, out any) error {
	var job api.Job
	err := untilEnded(ctx, func(ctx context.Context, held time.Duration) (bool, error) {
		err := j.client.transport.Call(ctx, j.request(heldQuery(held)), &job, api.Timeout(held+heldGrace))
		ended := job.Status == api.JobStatusCompleted || job.Status == api.JobStatusDeadLetter || job.Status == api.JobStatusCancelled
		return ended, err
	})
	if err != nil {
		return fmt.Errorf("waiting for job %s: %w", j.ID, err)
	}
	if job.Status != api.JobStatusCompleted {
		return &JobFailed{JobID: j.ID, Status: job.Status, Err: job.Error}
	}
	result, err := j.client.codec.Decode(ctx, orNull(job.Result), Payload{Kind: "result", JobType: job.JobType})
	if err != nil {
		return fmt.Errorf("the codec failed: %w", err)
	}
	return decodeInto(result, out)
}

func (j *JobHandle) request(query url.Values) api.Request {
	return api.Request{Name: "getJob", Method: http.MethodGet, Path: "/v1/jobs/" + url.PathEscape(j.ID), Query: query}
}

// RunHandle is a handle of a run of a workflow, called an execution by the server.
type RunHandle struct {
	client *Client
	ID     string
}

// Get reads the run as it is now.
func (r *RunHandle) Get(ctx context.Context) (api.Execution, error) {
	return r.client.API.GetExecution(ctx, r.ID, api.GetExecutionQuery{})
}

// Nodes reads its nodes, in the order of the definition, with their outputs.
func (r *RunHandle) Nodes(ctx context.Context) ([]api.Node, error) {
	page, err := r.client.API.ListNodes(ctx, r.ID, api.ListNodesQuery{})
	return page.Items, err
}

// Outputs reads the outputs of the nodes that completed, by node.
func (r *RunHandle) Outputs(ctx context.Context) (map[string]json.RawMessage, error) {
	nodes, err := r.Nodes(ctx)
	outputs := map[string]json.RawMessage{}
	for _, node := range nodes {
		if node.Status == "COMPLETED" {
			outputs[node.NodeID] = orNull(node.Output)
		}
	}
	return outputs, err
}

// Signal sends a signal, whose payload goes to the node that waits for it, or to the next node that will.
func (r *RunHandle) Signal(ctx context.Context, name string, payload any) error {
	text, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("the payload is no JSON: %w", err)
	}
	_, err = r.client.API.SignalExecution(ctx, r.ID, name, api.SignalRequest{Payload: text})
	return err
}

// Cancel cancels the run. With compensate, completed nodes are compensated first.
func (r *RunHandle) Cancel(ctx context.Context, reason string, compensate bool) error {
	body := api.CancelRequest{Compensate: &compensate}
	if reason != "" {
		body.Reason = &reason
	}
	_, err := r.client.API.CancelExecution(ctx, r.ID, body)
	return err
}

// Wait waits until ctx ends for the output, and decodes it into out, unless out is nil. It fails with *RunFailed once the run
// failed or was cancelled; when ctx ends, the run continues.
func (r *RunHandle) Wait(ctx context.Context, out any) error {
	var run api.Execution
	err := untilEnded(ctx, func(ctx context.Context, held time.Duration) (bool, error) {
		yes := true
		query := api.GetExecutionQuery{Wait: &yes, Timeout: durationText(held)}
		found, err := r.client.API.GetExecution(ctx, r.ID, query, api.Timeout(held+heldGrace))
		run = found
		switch run.Status {
		case api.ExecutionStatusCompleted, api.ExecutionStatusFailed, api.ExecutionStatusCancelled:
			return true, err
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("waiting for run %s: %w", r.ID, err)
	}
	if run.Status != api.ExecutionStatusCompleted {
		return &RunFailed{RunID: r.ID, Status: run.Status, Err: run.Error}
	}
	return decodeInto(orNull(run.Output), out)
}

// untilEnded asks until read says that it ended, with growing pauses where the server does not hold the answer.
func untilEnded(ctx context.Context, read func(ctx context.Context, held time.Duration) (bool, error)) error {
	for round := 0; ; round++ {
		held := heldMax
		if deadline, found := ctx.Deadline(); found {
			held = max(time.Millisecond, min(held, time.Until(deadline)))
		}
		asked := time.Now()
		ended, err := read(ctx, held)
		if err != nil || ended {
			return err
		}
		if time.Since(asked) < time.Second && !wire.Sleep(ctx, api.BackoffDelay(min(round, 4), mathrand.Float64())) {
			return ctx.Err()
		}
	}
}

func heldQuery(held time.Duration) url.Values {
	return url.Values{"wait": {"true"}, "timeout": {durationText(held)}}
}

func decodeInto(content json.RawMessage, out any) error {
	if out == nil {
		return nil
	}
	if err := wire.Unmarshal(content, out); err != nil {
		return fmt.Errorf("the result does not fit %T: %w", out, err)
	}
	return nil
}

func orNull(content json.RawMessage) json.RawMessage {
	if len(content) == 0 {
		return json.RawMessage("null")
	}
	return content
}
