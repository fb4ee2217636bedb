// Command hatchet measures Hatchet's engine, which runs in this process with PostgreSQL as its message queue, and its SDK
// for Go. A job is a task by itself; a step is a task of a DAG. Fast: 1,000 slots. Defaults: the worker's 100.
package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/hatchet-dev/hatchet/pkg/client"
	hatchet "github.com/hatchet-dev/hatchet/sdks/go"
	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"trunkline/load-tests/peers/go/measure"
)

const (
	module = "github.com/hatchet-dev/hatchet"
	// share is the part of the jobs that it gets: they take long to drain.
	share = 20
	// slotsFast is how many tasks run at once with fast settings.
	slotsFast = 1000
)

func main() {
	measure.Main(measure.Peer{Name: "Hatchet", Module: module, Share: share, Open: open})
}

type queue struct {
	mode   measure.Mode
	url    string
	engine *engine
	// admin has the call that starts many, which the SDK does not offer.
	admin  client.AdminClient
	client *hatchet.Client
	noop   *hatchet.StandaloneTask
	// handled is called by the task; it is set before the worker starts.
	handled   func(number int)
	workflows map[int]*hatchet.Workflow
	stop      func() error
	// enqueued counts the jobs so far.
	enqueued atomic.Int64
}

func open(_ context.Context, url string, mode measure.Mode) (measure.Queue, error) {
	return &queue{mode: mode, url: url, workflows: map[int]*hatchet.Workflow{}}, nil
}

// SetUp makes the tables, starts the engine, and registers the task by a worker that is not started: the engine refuses
// jobs of a task that it does not know.
func (q *queue) SetUp(ctx context.Context) (err error) {
	if q.engine, err = startEngine(ctx, q.url); err != nil {
		return err
	}
	plain, err := client.New()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	q.admin = plain.Admin()
	if q.client, err = hatchet.NewClient(); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	q.noop = q.client.NewStandaloneTask("noop", func(_ hatchet.Context, in measure.Payload) (struct{}, error) {
		q.handled(in.Number)
		return struct{}{}, nil
	})
	_, err = q.newWorker(q.noop)
	return err
}

func (q *queue) Enqueue(_ context.Context, first, end int) error {
	var jobs []*client.WorkflowRun
	for number := first; number < end; number++ {
		jobs = append(jobs, &client.WorkflowRun{Name: q.noop.GetName(), Input: measure.NewPayload(number)})
	}
	started, err := q.admin.BulkRunWorkflow(jobs)
	q.enqueued.Add(int64(len(started)))
	return err
}

func (q *queue) EnqueueOne(ctx context.Context, number int) error {
	_, err := q.noop.RunNoWait(ctx, measure.NewPayload(number))
	if err == nil {
		q.enqueued.Add(1)
	}
	return err
}

func (q *queue) Start(_ context.Context, handled func(number int)) error {
	q.handled = handled
	return q.work(q.noop)
}

func (q *queue) Unfinished(ctx context.Context) (int, error) {
	connection, err := pgx.Connect(ctx, q.url)
	if err != nil {
		return 0, err
	}
	defer connection.Close(ctx)
	var ended int
	err = connection.QueryRow(ctx,
		"SELECT count(DISTINCT task_id) FROM v1_task_event WHERE event_type = 'COMPLETED'").Scan(&ended)
	return int(q.enqueued.Load()) - ended, err
}

// stepInput is the input of each step, and what it returns.
type stepInput struct {
	Number int `json:"number"`
}

func step(_ hatchet.Context, in stepInput) (stepInput, error) { return in, nil }

func (q *queue) StartSteps(_ context.Context, counts []int) error {
	var all []hatchet.WorkflowBase
	for _, count := range counts {
		workflow := q.client.NewWorkflow(fmt.Sprintf("steps-%d", count))
		var options []hatchet.TaskOption
		for number := range count {
			task := workflow.NewTask(fmt.Sprintf("s%d", number), step, options...)
			options = []hatchet.TaskOption{hatchet.WithParents(task)}
		}
		q.workflows[count] = workflow
		all = append(all, workflow)
	}
	return q.work(all...)
}

func (q *queue) RunSteps(ctx context.Context, count int) error {
	_, err := q.workflows[count].Run(ctx, stepInput{count})
	return err
}

func (q *queue) newWorker(workflows ...hatchet.WorkflowBase) (*hatchet.Worker, error) {
	silent := zerolog.Nop()
	options := []hatchet.WorkerOption{hatchet.WithWorkflows(workflows...), hatchet.WithLogger(&silent)}
	if q.mode == measure.Fast {
		options = append(options, hatchet.WithSlots(slotsFast))
	}
	return q.client.NewWorker("peer", options...)
}

func (q *queue) work(workflows ...hatchet.WorkflowBase) error {
	worker, err := q.newWorker(workflows...)
	if err != nil {
		return err
	}
	q.stop, err = worker.Start()
	return err
}

func (q *queue) Stop(context.Context) error {
	if q.stop == nil {
		return nil
	}
	stop := q.stop
	q.stop = nil
	return stop()
}

// Close may be called twice.
func (q *queue) Close() {
	_ = q.Stop(context.Background())
	if q.engine != nil {
		q.engine.close()
		q.engine = nil
	}
}
