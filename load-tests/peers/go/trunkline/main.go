// Command trunkline measures Trunkline as others use it: the server as a process of its own, over REST, with the client
// and the worker of its SDK for Go. Fast: 1,000 handlers at once. Defaults: the ten of the SDK. The limits of concurrent
// executions are removed, as the other engines have none.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
	"trunkline.dev/go/workflow"

	"trunkline/load-tests/peers/go/measure"
	"trunkline/load-tests/peers/go/node"
)

const (
	jobType  = "noop"
	stepType = "step"
	// slotsFast is how many handlers run at once with fast settings.
	slotsFast = 1000
	// connectionsMax is how many connections are kept: as many as workflows are in flight, and the worker's.
	connectionsMax = 128
)

// settings remove the limits of the execution queue, which are 5 for a workflow by default, and leave on standard error what
// the driver shows of a failure.
var settings = []string{
	"TRUNKLINE_LOG__FILTER=warn",
	"TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LIMITS__GLOBAL=unlimited",
	"TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LIMITS__TENANT=unlimited",
	"TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LIMITS__WORKFLOW=unlimited",
}

func main() {
	measure.Main(measure.Peer{Name: "trunkline", Version: os.Getenv("TRUNKLINE_VERSION"), Open: open})
}

type engine struct {
	mode   measure.Mode
	url    string
	node   *node.Node
	client *trunkline.Client
	// stop ends the worker, ended has what it ended with.
	stop  context.CancelFunc
	ended chan error
}

// numbered is the part of the payload that the handler needs.
type numbered struct {
	Number int `json:"number"`
}

func open(_ context.Context, url string, mode measure.Mode) (measure.Queue, error) {
	return &engine{mode: mode, url: url, ended: make(chan error, 1)}, nil
}

// SetUp starts the server, which makes its tables.
func (e *engine) SetUp(ctx context.Context) (err error) {
	if e.node, err = node.Start(ctx, e.url, settings...); err != nil {
		return err
	}
	connections := http.DefaultTransport.(*http.Transport).Clone()
	connections.MaxIdleConns, connections.MaxIdleConnsPerHost = connectionsMax, connectionsMax
	e.client, err = trunkline.NewClient(trunkline.URL(e.node.URL), trunkline.APIKey(node.AdminKey),
		trunkline.WithHTTPClient(&http.Client{Transport: connections}))
	return err
}

func (e *engine) Enqueue(ctx context.Context, first, end int) error {
	items := make([]trunkline.BatchItem, 0, end-first)
	for number := first; number < end; number++ {
		items = append(items, trunkline.BatchItem{Type: jobType, Data: measure.NewPayload(number)})
	}
	_, err := e.client.EnqueueBatch(ctx, items)
	return err
}

func (e *engine) EnqueueOne(ctx context.Context, number int) error {
	_, err := e.client.Enqueue(ctx, jobType, measure.NewPayload(number))
	return err
}

func (e *engine) Start(ctx context.Context, handled func(number int)) error {
	worker := e.newWorker()
	trunkline.Handle(worker, jobType, func(_ context.Context, in numbered) (struct{}, error) {
		handled(in.Number)
		return struct{}{}, nil
	})
	e.run(ctx, worker)
	return nil
}

func (e *engine) Unfinished(ctx context.Context) (int, error) {
	queue, err := e.client.API.GetQueue(ctx, "workflow-node")
	return int(queue.Queued + queue.Processing + queue.RetryWait + queue.Scheduled), err
}

// StartSteps registers a workflow for each number of steps, and starts the worker.
func (e *engine) StartSteps(ctx context.Context, counts []int) error {
	for _, count := range counts {
		definition, input := workflow.New(workflowOf(count)).Version(1), workflow.Input()
		for step := range count {
			id := fmt.Sprintf("s%d", step)
			var options []workflow.NodeOption
			if step > 0 {
				options = append(options, workflow.DependsOn(fmt.Sprintf("s%d", step-1)))
			}
			definition.Node(id, workflow.Task(stepType, input), options...)
			input = workflow.Output(id)
		}
		if _, _, err := e.client.Push(ctx, definition.Output(input)); err != nil {
			return err
		}
	}
	worker := e.newWorker()
	trunkline.Handle(worker, stepType, func(_ context.Context, in numbered) (numbered, error) { return in, nil })
	e.run(ctx, worker)
	return nil
}

func (e *engine) RunSteps(ctx context.Context, count int) error {
	input, err := json.Marshal(numbered{count})
	if err != nil {
		return err
	}
	wait := true
	body := api.ExecutionRequest{Workflow: workflowOf(count), Input: input}
	answer, err := e.client.API.StartExecution(ctx, body, api.StartExecutionQuery{Wait: &wait})
	if err != nil {
		return err
	}
	var run api.Execution
	if err := json.Unmarshal(answer, &run); err != nil {
		return err
	}
	if run.Status != api.ExecutionStatusCompleted {
		return fmt.Errorf("the execution is %s", run.Status)
	}
	return nil
}

func (e *engine) newWorker() *trunkline.Worker {
	var options []trunkline.WorkerOption
	if e.mode == measure.Fast {
		options = append(options, trunkline.Concurrency(slotsFast))
	}
	return trunkline.NewWorker(e.client, options...)
}

func (e *engine) run(ctx context.Context, worker *trunkline.Worker) {
	ctx, e.stop = context.WithCancel(ctx)
	go func() { e.ended <- worker.Run(ctx) }()
}

// Stop ends the worker once it has reported what it did.
func (e *engine) Stop(context.Context) error {
	if e.stop == nil {
		return nil
	}
	e.stop()
	e.stop = nil
	return <-e.ended
}

// Close may be called twice.
func (e *engine) Close() {
	_ = e.Stop(context.Background())
	if e.client != nil {
		_ = e.client.Close()
	}
	if e.node != nil {
		e.node.Stop()
	}
}

func workflowOf(count int) string { return fmt.Sprintf("steps-%d", count) }
