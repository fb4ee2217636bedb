package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
	"trunkline.dev/go/webhook"
)

type request struct {
	ID   json.RawMessage `json:"id"`
	Call string          `json:"call"`
	Args json.RawMessage `json:"args"`
}

// arguments has all arguments that any call takes.
type arguments struct {
	Type, Job, Workflow, Run, Name, Timeout, JobType, DeadLetter, Cron, Schedule string
	Secret, ID, Body                                                             string
	Data, Input, Payload, Definition                                             json.RawMessage
	Options                                                                      options
	Jobs                                                                         []arguments
	Partial                                                                      bool
	Timestamp, Now                                                               int64
	Headers                                                                      map[string]string
}

type options struct {
	api.JobRequest
	JobType        string          `json:"-"`
	Data           json.RawMessage `json:"-"`
	IdempotencyKey *string
	Version        *int
	CorrelationID  *string
}

func (o options) list() []trunkline.Option {
	var out []trunkline.Option
	add := func(given bool, option func() trunkline.Option) {
		if given {
			out = append(out, option())
		}
	}
	add(o.Priority != nil, func() trunkline.Option { return trunkline.Priority(*o.Priority) })
	add(o.Delay != nil, func() trunkline.Option { return trunkline.Delay(duration(*o.Delay)) })
	add(o.RunAt != nil, func() trunkline.Option { return trunkline.RunAt(*o.RunAt) })
	add(o.UniqueKey != nil, func() trunkline.Option { return trunkline.UniqueKey(*o.UniqueKey) })
	add(o.ConcurrencyKey != nil, func() trunkline.Option { return trunkline.ConcurrencyKey(*o.ConcurrencyKey) })
	add(o.MaxRetries != nil, func() trunkline.Option { return trunkline.MaxRetries(int(*o.MaxRetries)) })
	add(o.Backoff != nil, func() trunkline.Option { return trunkline.Backoff(*o.Backoff) })
	add(o.Timeout != nil, func() trunkline.Option { return trunkline.AttemptTimeout(duration(*o.Timeout)) })
	add(o.Tags != nil, func() trunkline.Option { return trunkline.Tags(o.Tags...) })
	add(o.Tenant != nil, func() trunkline.Option { return trunkline.ForTenant(*o.Tenant) })
	add(o.Traceparent != nil, func() trunkline.Option { return trunkline.Traceparent(*o.Traceparent) })
	add(o.IdempotencyKey != nil, func() trunkline.Option { return trunkline.IdempotencyKey(*o.IdempotencyKey) })
	add(o.Version != nil, func() trunkline.Option { return trunkline.Version(*o.Version) })
	add(o.CorrelationID != nil, func() trunkline.Option { return trunkline.CorrelationID(*o.CorrelationID) })
	return out
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func runClient(ctx context.Context, in io.Reader, out io.Writer, options []trunkline.ClientOption) error {
	client, failed := trunkline.NewClient(options...)
	var (
		mutex sync.Mutex
		calls sync.WaitGroup
	)
	answer := func(line object) {
		mutex.Lock()
		defer mutex.Unlock()
		_ = json.NewEncoder(out).Encode(line)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(bytes.Clone(lines.Bytes()), &asked); err != nil {
			return err
		}
		calls.Add(1)
		go func() {
			defer calls.Done()
			value, err := do(ctx, client, failed, asked, func() { answer(object{"id": asked.ID, "opened": true}) })
			if err != nil {
				answer(object{"id": asked.ID, "error": described(err)})
				return
			}
			answer(object{"id": asked.ID, "value": value})
		}()
	}
	calls.Wait()
	return lines.Err()
}

func do(ctx context.Context, client *trunkline.Client, failed error, asked request, opened func()) (any, error) {
	if asked.Call == "hello" {
		return object{"language": "go", "lacks": []string{}}, nil
	}
	if failed != nil {
		return nil, failed
	}
	var args arguments
	if len(asked.Args) > 0 {
		if err := json.Unmarshal(asked.Args, &args); err != nil {
			return nil, err
		}
	}
	if args.Timeout != "" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, duration(args.Timeout))
		defer cancel()
	}
	if value, err, found := doJob(ctx, client, asked.Call, args); found {
		return value, err
	}
	if value, err, found := doRun(ctx, client, asked.Call, args, opened); found {
		return value, err
	}
	return doOther(ctx, client, asked.Call, args)
}

func doJob(ctx context.Context, client *trunkline.Client, call string, args arguments) (any, error, bool) {
	switch call {
	case "enqueue":
		job, err := client.Enqueue(ctx, args.Type, args.Data, args.Options.list()...)
		if err != nil {
			return nil, err, true
		}
		return object{"id": job.ID, "existing": job.Existing}, nil, true
	case "batch":
		value, err := batch(ctx, client, args)
		return value, err, true
	case "wait":
		var result any
		err := client.Job(args.Job).Wait(ctx, &result)
		return result, err, true
	case "job":
		job, err := client.Job(args.Job).Get(ctx)
		return job, err, true
	case "cancel":
		return nil, client.Job(args.Job).Cancel(ctx), true
	}
	return nil, nil, false
}

func batch(ctx context.Context, client *trunkline.Client, args arguments) (any, error) {
	var items []trunkline.BatchItem
	for _, job := range args.Jobs {
		items = append(items, trunkline.BatchItem{Type: job.Type, Data: job.Data, Options: job.Options.list()})
	}
	var how []trunkline.Option
	if args.Partial {
		how = append(how, trunkline.Partial())
	}
	results, err := client.EnqueueBatch(ctx, items, how...)
	var out []object
	for _, result := range results {
		if result.Err != nil {
			out = append(out, object{"error": object{"code": result.Err.Code}})
		} else {
			out = append(out, object{"id": result.Job.ID})
		}
	}
	return out, err
}

func doRun(ctx context.Context, client *trunkline.Client, call string, args arguments, opened func()) (any, error, bool) {
	var output any
	switch call {
	case "push":
		name, version, err := client.Push(ctx, args.Definition)
		return object{"name": name, "version": version}, err, true
	case "start", "startWait":
		run, err := client.Start(ctx, args.Workflow, args.Input, args.Options.list()...)
		if err != nil {
			return nil, err, true
		}
		if call == "start" {
			return object{"id": run.ID}, nil, true
		}
		err = run.Wait(ctx, &output)
		return output, err, true
	case "waitRun":
		err := client.Run(args.Run).Wait(ctx, &output)
		return output, err, true
	case "run":
		run, err := client.Run(args.Run).Get(ctx)
		return run, err, true
	case "nodes":
		nodes, err := client.Run(args.Run).Nodes(ctx)
		return nodes, err, true
	case "signal":
		return nil, client.Run(args.Run).Signal(ctx, args.Name, args.Payload), true
	case "cancelRun":
		return nil, client.Run(args.Run).Cancel(ctx, "", false), true
	case "event":
		for event, err := range client.Events(ctx, opened) {
			if err != nil {
				return nil, err, true
			}
			if event.ExecutionID != nil && *event.ExecutionID == args.Run && event.Ended != nil && *event.Ended {
				return event, nil, true
			}
		}
		return nil, ctx.Err(), true
	}
	return nil, nil, false
}

func doOther(ctx context.Context, client *trunkline.Client, call string, args arguments) (any, error) {
	switch call {
	case "deadLetters":
		page, err := client.API.ListDeadLetters(ctx, api.ListDeadLettersQuery{JobType: args.JobType})
		return page.Items, err
	case "requeue":
		_, err := client.API.RequeueDeadLetter(ctx, args.DeadLetter, api.RequeueRequest{Data: args.Data})
		return nil, err
	case "schedule":
		return client.API.CreateSchedule(ctx, api.ScheduleRequest{Name: args.Name, Workflow: args.Workflow, Cron: &args.Cron, Input: args.Input})
	case "schedules":
		page, err := client.API.ListSchedules(ctx, api.ListSchedulesQuery{})
		return page.Items, err
	case "deleteSchedule":
		return nil, client.API.DeleteSchedule(ctx, args.Schedule)
	case "sign":
		return webhook.Sign(args.Secret, args.ID, time.Unix(args.Timestamp, 0), []byte(args.Body))
	case "verify":
		header := http.Header{}
		for name, value := range args.Headers {
			header.Set(name, value)
		}
		return true, webhook.Verify(header, []byte(args.Body), time.Unix(args.Now, 0), args.Secret)
	}
	return nil, fmt.Errorf("no call is named %s", call)
}

func described(err error) object {
	out := object{"kind": "Other", "message": err.Error()}
	var (
		job        *trunkline.JobFailed
		run        *trunkline.RunFailed
		problem    *trunkline.ProblemError
		connection *trunkline.ConnectionError
	)
	switch {
	case errors.As(err, &job):
		out["kind"], out["code"] = "JobFailed", job.Code()
	case errors.As(err, &run):
		out["kind"], out["code"] = "RunFailed", run.Code()
	case errors.As(err, &problem):
		out["kind"], out["code"], out["status"] = "Problem", problem.Code, problem.Status
	case errors.Is(err, webhook.ErrInvalidSignature):
		out["kind"] = "InvalidSignature"
	case errors.Is(err, context.DeadlineExceeded):
		out["kind"] = "Timeout"
	case errors.As(err, &connection):
		out["kind"] = "Connection"
	}
	return out
}
