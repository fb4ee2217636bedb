// Command temporal measures Temporal's server, which runs in this process with four history shards on PostgreSQL, and its
// SDK for Go. A job is an activity without a workflow; a step is an activity of a workflow. Fast: pollers that grow with
// the load, as its documentation recommends. Defaults: the worker's own.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporal"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/durationpb"

	"trunkline/load-tests/peers/go/measure"
)

const (
	namespace = "default"
	taskQueue = "peer"
	// share is the part of the jobs that it gets: each is started by a call of its own.
	share = 20
	// starters is how many such calls are under way at once.
	starters = 64
	// stepMax is longer than any step takes.
	stepMax = time.Minute
	// registerMax is how long the server may take until it registers a namespace.
	registerMax = time.Minute
)

func main() {
	measure.Main(measure.Peer{Name: "Temporal", Module: "go.temporal.io/server", Share: share, Open: open})
}

type engine struct {
	mode     measure.Mode
	database *url.URL
	server   temporal.Server
	client   client.Client
	worker   worker.Worker
	// enqueued counts the jobs so far.
	enqueued atomic.Int64
}

func open(_ context.Context, address string, mode measure.Mode) (measure.Queue, error) {
	database, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the database's address: %w", err)
	}
	return &engine{mode: mode, database: database}, nil
}

// SetUp makes the tables, starts the server, and registers the namespace.
func (e *engine) SetUp(ctx context.Context) (err error) {
	if err := setUpSchemas(ctx, e.database); err != nil {
		return err
	}
	ports, err := freePorts(len(temporal.DefaultServices) * 2)
	if err != nil {
		return err
	}
	if e.server, err = newServer(e.database, ports); err != nil {
		return err
	}
	if err := e.server.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	options := client.Options{HostPort: fmt.Sprintf("127.0.0.1:%d", ports[0]), Namespace: namespace, Logger: silent{}}
	if err := register(ctx, options); err != nil {
		return err
	}
	if e.client, err = client.DialContext(ctx, options); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return nil
}

// register registers the namespace as soon as the server takes calls.
func register(ctx context.Context, options client.Options) error {
	namespaces, err := client.NewNamespaceClient(options)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer namespaces.Close()
	request := workflowservice.RegisterNamespaceRequest{
		Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}
	var exists *serviceerror.NamespaceAlreadyExists
	for until := time.Now().Add(registerMax); ; time.Sleep(200 * time.Millisecond) {
		err := namespaces.Register(ctx, &request)
		if err == nil || errors.As(err, &exists) {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("register the namespace: %w", err)
		}
	}
}

// Enqueue starts the jobs by a call each: there is none for many.
func (e *engine) Enqueue(ctx context.Context, first, end int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(starters)
	for number := first; number < end; number++ {
		group.Go(func() error { return e.EnqueueOne(ctx, number) })
	}
	return group.Wait()
}

// EnqueueOne tries again where the server does not know the new namespace yet, which takes it some seconds.
func (e *engine) EnqueueOne(ctx context.Context, number int) error {
	options := client.StartActivityOptions{
		ID: fmt.Sprintf("job-%d", number), TaskQueue: taskQueue, StartToCloseTimeout: stepMax,
	}
	var unknown *serviceerror.NamespaceNotFound
	for until := time.Now().Add(registerMax); ; time.Sleep(200 * time.Millisecond) {
		_, err := e.client.ExecuteActivity(ctx, options, "noop", measure.NewPayload(number))
		if err == nil {
			e.enqueued.Add(1)
			return nil
		}
		if !errors.As(err, &unknown) || time.Now().After(until) {
			return err
		}
	}
}

func (e *engine) Start(_ context.Context, handled func(number int)) error {
	return e.work(func(worker worker.Worker) {
		worker.RegisterActivityWithOptions(func(_ context.Context, in measure.Payload) error {
			handled(in.Number)
			return nil
		}, named("noop"))
	})
}

// completed is the state of an execution that has ended.
const completed = 3

func (e *engine) Unfinished(ctx context.Context) (int, error) {
	connection, err := pgx.Connect(ctx, e.database.String())
	if err != nil {
		return 0, err
	}
	defer connection.Close(ctx)
	var ended int
	err = connection.QueryRow(ctx,
		"SELECT count(*) FROM current_chasm_executions WHERE business_id LIKE 'job-%' AND state = $1", completed).Scan(&ended)
	return int(e.enqueued.Load()) - ended, err
}

func (e *engine) StartSteps(context.Context, []int) error {
	return e.work(func(worker worker.Worker) {
		worker.RegisterWorkflow(steps)
		worker.RegisterActivity(step)
	})
}

// steps runs so many activities, one after another.
func steps(ctx workflow.Context, count int) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: stepMax})
	for range count {
		if err := workflow.ExecuteActivity(ctx, step, count).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// step returns its input.
func step(_ context.Context, number int) (int, error) { return number, nil }

func (e *engine) RunSteps(ctx context.Context, count int) error {
	run, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: taskQueue}, steps, count)
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}

// work starts a worker.
func (e *engine) work(register func(worker.Worker)) error {
	options := worker.Options{}
	if e.mode == measure.Fast {
		scaling := worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{})
		options.ActivityTaskPollerBehavior, options.WorkflowTaskPollerBehavior = scaling, scaling
	}
	e.worker = worker.New(e.client, taskQueue, options)
	register(e.worker)
	return e.worker.Start()
}

func (e *engine) Stop(context.Context) error {
	if e.worker != nil {
		e.worker.Stop()
		e.worker = nil
	}
	return nil
}

// Close may be called twice.
func (e *engine) Close() {
	_ = e.Stop(context.Background())
	if e.client != nil {
		e.client.Close()
		e.client = nil
	}
	if e.server != nil {
		_ = e.server.Stop()
		e.server = nil
		dropVisibility(e.database)
	}
}
