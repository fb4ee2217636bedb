package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	trunkline "trunkline.dev/go"
)

type object = map[string]any

type gateData struct {
	Dir      string          `json:"dir"`
	Progress json.RawMessage `json:"progress"`
	Log      string          `json:"log"`
}

type typedData struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func runWorker(ctx context.Context, clientOptions []trunkline.ClientOption) error {
	client, err := trunkline.NewClient(clientOptions...)
	if err != nil {
		return err
	}
	options := []trunkline.WorkerOption{
		trunkline.Concurrency(8), trunkline.WithMiddleware(remember), trunkline.Build(os.Getenv("CONFORMANCE_BUILD")),
	}
	if builds := os.Getenv("CONFORMANCE_BUILDS"); builds != "" {
		options = append(options, trunkline.Builds(strings.Split(builds, ",")...))
	}
	if n, err := strconv.Atoi(os.Getenv("CONFORMANCE_CONCURRENCY")); err == nil {
		options = append(options, trunkline.Concurrency(n))
	}
	if wait, err := time.ParseDuration(os.Getenv("CONFORMANCE_POLL_WAIT")); err == nil {
		options = append(options, trunkline.PollWait(wait))
	}
	w := trunkline.NewWorker(client, options...)
	register(w, os.Getenv("CONFORMANCE_PREFIX"))
	return w.Run(ctx)
}

type logData struct {
	Lines int
	Text  string
	Fail  string
}

type seenKey struct{}

func remember(next trunkline.Handler) trunkline.Handler {
	return func(ctx context.Context, data json.RawMessage) (json.RawMessage, error) {
		return next(context.WithValue(ctx, seenKey{}, trunkline.JobFrom(ctx).Type), data)
	}
}

func register(w *trunkline.Worker, prefix string) {
	trunkline.Handle(w, prefix+"echo", func(_ context.Context, in any) (any, error) { return in, nil })
	trunkline.Handle(w, prefix+"context", func(ctx context.Context, _ any) (object, error) {
		job := trunkline.JobFrom(ctx)
		out := object{
			"jobId": job.ID, "attempt": job.Attempt, "idempotencyKey": job.IdempotencyKey, "previousProgress": job.PreviousProgress,
			"cancelled": ctx.Err() != nil, "hasDeadline": !job.Deadline.IsZero(), "traceparent": nil,
		}
		if job.Traceparent != "" {
			out["traceparent"] = job.Traceparent
		}
		return out, nil
	})
	registerFailures(w, prefix)
	trunkline.Handle(w, prefix+"soak", soak)
	trunkline.Handle(w, prefix+"gate", func(ctx context.Context, in gateData) (object, error) { return gate(ctx, in, false) })
	trunkline.Handle(w, prefix+"stubborn", func(ctx context.Context, in gateData) (object, error) { return gate(ctx, in, true) })
	trunkline.Handle(w, prefix+"progress", func(ctx context.Context, in struct{ Value any }) (object, error) {
		job := trunkline.JobFrom(ctx)
		if job.Attempt > 1 {
			return object{"previousProgress": job.PreviousProgress}, nil
		}
		return nil, errors.Join(trunkline.Progress(ctx, in.Value), errors.New("once more"))
	})
	trunkline.Handle(w, prefix+"big", func(_ context.Context, in struct{ Bytes int }) (object, error) {
		return object{"text": strings.Repeat("x", in.Bytes)}, nil
	})
	trunkline.Handle(w, prefix+"typed", func(_ context.Context, in typedData) (object, error) {
		return object{"greeting": fmt.Sprintf("%s x %d", in.Name, in.Count)}, nil
	})
	trunkline.Handle(w, prefix+"middleware", func(ctx context.Context, _ any) (object, error) {
		return object{"seen": ctx.Value(seenKey{})}, nil
	})
	trunkline.Handle(w, prefix+"log", func(ctx context.Context, in logData) (any, error) {
		for number := 1; number <= max(in.Lines, 1); number++ {
			trunkline.Log(ctx).Info(fmt.Sprintf("line %d", number))
		}
		if in.Text != "" {
			trunkline.Log(ctx).Error(in.Text)
		}
		if in.Fail != "" && trunkline.JobFrom(ctx).Attempt == 1 {
			return nil, errors.New(in.Fail)
		}
		return nil, nil
	})
}

type soakData struct {
	N    int    `json:"n"`
	Fail int    `json:"fail"`
	Dir  string `json:"dir"`
}

// soak records outside of the store what it does: see ../../../conformance/soak.py.
func soak(ctx context.Context, in soakData) (object, error) {
	job, nonce := trunkline.JobFrom(ctx), fmt.Sprintf("%016x", rand.Uint64())
	record := func(what string) error {
		path := filepath.Join(in.Dir, fmt.Sprintf("go-%d", os.Getpid()))
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(file, "%s %s %d %s\n", what, job.ID, job.Attempt, nonce)
		return errors.Join(err, file.Close())
	}
	if err := record("start"); err != nil {
		return nil, err
	}
	if job.Attempt <= in.Fail {
		return nil, errors.New("planned")
	}
	time.Sleep(time.Duration(in.N%20) * time.Millisecond)
	return object{"n": in.N, "nonce": nonce}, record("end")
}

func registerFailures(w *trunkline.Worker, prefix string) {
	type times struct {
		Times   int
		Message string
		Delay   string
	}
	attempt := func(ctx context.Context) object { return object{"attempt": trunkline.JobFrom(ctx).Attempt} }
	trunkline.Handle(w, prefix+"fail-times", func(ctx context.Context, in times) (object, error) {
		if trunkline.JobFrom(ctx).Attempt <= in.Times {
			return nil, errors.New(in.Message)
		}
		return attempt(ctx), nil
	})
	trunkline.Handle(w, prefix+"non-retryable", func(_ context.Context, in times) (object, error) {
		return nil, trunkline.NonRetryable(errors.New(in.Message))
	})
	trunkline.Handle(w, prefix+"retry-after", func(ctx context.Context, in times) (object, error) {
		delay, err := time.ParseDuration(in.Delay)
		if err == nil && trunkline.JobFrom(ctx).Attempt == 1 {
			err = trunkline.RetryAfter(delay, nil)
		}
		return attempt(ctx), err
	})
	var mutex sync.Mutex
	snoozed := map[string]int{}
	trunkline.Handle(w, prefix+"snooze", func(ctx context.Context, in times) (object, error) {
		mutex.Lock()
		defer mutex.Unlock()
		job := trunkline.JobFrom(ctx)
		delay, err := time.ParseDuration(in.Delay)
		if snoozed[job.ID]++; err == nil && snoozed[job.ID] <= in.Times {
			err = trunkline.Snooze(delay)
		}
		return object{"attempt": job.Attempt, "snoozed": in.Times}, err
	})
	trunkline.Handle(w, prefix+"cancelled", func(context.Context, any) (any, error) { return nil, &trunkline.Cancelled{} })
}

func gate(ctx context.Context, in gateData, stubborn bool) (object, error) {
	job := trunkline.JobFrom(ctx)
	if err := mark(in.Dir, "started", job.Attempt); err != nil {
		return nil, err
	}
	if in.Progress != nil {
		if err := trunkline.Progress(ctx, in.Progress); err != nil {
			return nil, err
		}
	}
	if in.Log != "" {
		trunkline.Log(ctx).Info(in.Log, "of", "the gate")
	}
	cancelled := ctx.Done()
	if stubborn {
		cancelled = nil
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := os.Stat(filepath.Join(in.Dir, "go")); err == nil {
			return object{"attempt": job.Attempt, "previousProgress": job.PreviousProgress}, mark(in.Dir, "done", job.Attempt)
		}
		select {
		case <-look.C:
		case <-cancelled:
			return nil, errors.Join(mark(in.Dir, "cancelled", job.Attempt), context.Cause(ctx))
		}
	}
}

func mark(dir, name string, attempt int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d", name, attempt)), nil, 0o644)
}
