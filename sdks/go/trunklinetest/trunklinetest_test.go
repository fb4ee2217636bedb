package trunklinetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
	"trunkline.dev/go/trunklinetest"
	"trunkline.dev/go/workflow"
)

type greet struct {
	Name string `json:"name"`
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestAHandlerWithAFakeContext(t *testing.T) {
	ctx, recorder := trunklinetest.Context(context.Background(), trunkline.Job{Attempt: 2, PreviousProgress: json.RawMessage("7")})
	if err := trunkline.Progress(ctx, 8); err != nil {
		t.Fatal(err)
	}
	job := trunkline.JobFrom(ctx)
	if job.Attempt != 2 || string(job.PreviousProgress) != "7" || job.IdempotencyKey != "job_test" || string(recorder.Progress()[0]) != "8" {
		t.Error(job, recorder.Progress())
	}
}

func TestRetriesCarryProgressOverAndSnoozesCostNoAttempt(t *testing.T) {
	ctx, memory := deadline(t), trunklinetest.NewMemory()
	client := memory.Client()
	var seen []string
	w := trunkline.NewWorker(client, trunkline.WithMiddleware(func(next trunkline.Handler) trunkline.Handler {
		return func(ctx context.Context, data json.RawMessage) (json.RawMessage, error) {
			seen = append(seen, trunkline.JobFrom(ctx).Type)
			return next(ctx, data)
		}
	}))
	trunkline.Handle(w, "flaky", func(ctx context.Context, in greet) (int, error) {
		job := trunkline.JobFrom(ctx)
		step := len(job.PreviousProgress)
		if step == 0 {
			return 0, errors.Join(trunkline.Progress(ctx, 1), trunkline.Snooze(time.Minute))
		}
		if job.Attempt == 1 {
			return 0, errors.New("once")
		}
		if job.Attempt == 2 {
			return 0, trunkline.RetryAfter(2*time.Second, nil)
		}
		return job.Attempt, nil
	})
	job, err := client.Enqueue(ctx, "flaky", greet{"Ada"})
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Drain(ctx, w); err != nil {
		t.Fatal(err)
	}
	var attempt int
	if err := job.Wait(ctx, &attempt); err != nil || attempt != 3 {
		t.Error(attempt, err)
	}
	got := memory.Job(job.ID)
	if got.Snoozes != 1 || !slices.Equal(got.Waits, []string{"60000ms", "2000ms"}) || len(seen) != 4 {
		t.Errorf("%+v %v", got, seen)
	}
}

func TestReportsBringTheNextJobs(t *testing.T) {
	ctx, memory := deadline(t), trunklinetest.NewMemory()
	client := memory.Client()
	w := trunkline.NewWorker(client, trunkline.Concurrency(1))
	trunkline.Handle(w, "count", func(_ context.Context, in int) (int, error) {
		if in%2 == 1 {
			return 0, trunkline.NonRetryable(errors.New("odd"))
		}
		return in, nil
	})
	for number := range 20 {
		if _, err := client.Enqueue(ctx, "count", number); err != nil {
			t.Fatal(err)
		}
	}
	if err := memory.Drain(ctx, w); err != nil {
		t.Fatal(err)
	}
	// One poll to find out whether the server is there, which brings the first job, and one that waits at the end.
	if polls := memory.Polls(); polls > 3 {
		t.Errorf("%d polls for 20 jobs", polls)
	}
}

func TestWhatCannotSucceedBecomesADeadLetter(t *testing.T) {
	ctx, memory := deadline(t), trunklinetest.NewMemory()
	client := memory.Client()
	w := trunkline.NewWorker(client)
	trunkline.Handle(w, "panics", func(context.Context, any) (any, error) { panic("oh") })
	trunkline.Handle(w, "typed", func(_ context.Context, in greet) (string, error) { return in.Name, nil })
	panics, err := client.Enqueue(ctx, "panics", nil, trunkline.MaxRetries(1))
	if err != nil {
		t.Fatal(err)
	}
	typed, err := client.Enqueue(ctx, "typed", map[string]int{"name": 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Drain(ctx, w); err != nil {
		t.Fatal(err)
	}
	if got := memory.Job(panics.ID); got.Status != api.JobStatusDeadLetter || got.Attempt != 2 || got.Error.Message != "panic: oh" {
		t.Errorf("%+v", got)
	}
	var failed *trunkline.JobFailed
	if err := typed.Wait(ctx, nil); !errors.As(err, &failed) || failed.Code() != "invalid_data" || memory.Job(typed.ID).Attempt != 1 {
		t.Error(err)
	}
}

func TestTheRealServer(t *testing.T) {
	ctx, server := deadline(t), trunklinetest.DevServer(t)
	client := server.Client(t)
	w := trunkline.NewWorker(client)
	trunkline.Handle(w, "greet", func(_ context.Context, in greet) (string, error) { return "Hello, " + in.Name, nil })
	hello := workflow.New("hello").
		Node("greet", workflow.Task("greet", workflow.Input())).
		Node("go", workflow.Signal("go"), workflow.DependsOn("greet")).
		Output(workflow.Output("greet"))
	if name, version, err := client.Push(ctx, hello); err != nil || name != "hello" || version != 1 {
		t.Fatal(name, version, err)
	}
	run, err := client.Start(ctx, "hello", greet{"Ada"})
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- w.Run(serving) }()
	if err := run.Signal(ctx, "go", nil); err != nil {
		t.Fatal(err)
	}
	var said string
	if err := run.Wait(ctx, &said); err != nil || said != "Hello, Ada" {
		t.Error(said, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestATimeSkippingServer(t *testing.T) {
	ctx, server := deadline(t), trunklinetest.TimeSkippingServer(t)
	client := server.Client(t)
	_, _, err := client.Push(ctx, map[string]any{"name": "reminder", "version": 1, "nodes": []any{
		map[string]any{"id": "wait", "type": "TIMER", "duration": "1d"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	before := server.Skip(t, true)
	run, err := client.Start(ctx, "reminder", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(ctx, nil); err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	after := server.Skip(t, false)
	if passed := after.Sub(before); passed < day {
		t.Errorf("%v passed", passed)
	}
	if moved := server.Advance(t, 7*day).Sub(after); moved < 7*day {
		t.Errorf("moved by %v", moved)
	}
}
