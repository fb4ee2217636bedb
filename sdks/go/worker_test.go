package trunkline

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"testing"
	"time"

	"trunkline.dev/go/api"
)

// pushed is a transport with a stream: it answers polls with what the test says, and records reports.
type pushed struct {
	poll    func(ctx context.Context, number int) (string, error)
	reports chan string

	mutex    sync.Mutex
	polls    int
	onCancel func(leaseToken, reason string)
}

func (p *pushed) Name() string           { return "pushed" }
func (p *pushed) Close() error           { return nil }
func (p *pushed) EndDelivery(string)     {}
func (p *pushed) cancel(token, r string) { p.onCancel(token, r) }

func (p *pushed) OnCancel(_ string, call func(leaseToken, reason string)) { p.onCancel = call }

func (p *pushed) Events(context.Context, func()) iter.Seq2[api.ChangeEvent, error] {
	return func(func(api.ChangeEvent, error) bool) {}
}

func (p *pushed) Call(ctx context.Context, request api.Request, out any, _ ...api.Option) error {
	if request.Name != "pollJobs" {
		p.reports <- request.Name
		return json.Unmarshal([]byte(`{"results": [{"id": "job_1", "outcome": "ok"}]}`), out)
	}
	p.mutex.Lock()
	p.polls++
	number := p.polls
	p.mutex.Unlock()
	text, err := p.poll(ctx, number)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), out)
}

func job(token string) string {
	expires := time.Now().Add(time.Minute).Format(time.RFC3339)
	return `{"id": "job_1", "jobType": "greet", "attempt": 1, "data": 1, "tenant": "default", "leaseToken": "` + token +
		`", "leaseExpiresAt": "` + expires + `"}`
}

func untilEnd(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func workerOver(t *testing.T, transport *pushed, handle func(ctx context.Context, in int) (int, error)) *Worker {
	t.Helper()
	client, err := NewClient(WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorker(client, HealthAddress(""))
	Handle(w, "greet", handle)
	return w
}

func TestACancellationThatComesBeforeItsJobBeginsIsKept(t *testing.T) {
	causes := make(chan error, 1)
	transport := &pushed{reports: make(chan string, 10)}
	transport.poll = func(ctx context.Context, number int) (string, error) {
		if number > 1 {
			return untilEnd(ctx)
		}
		// The stream is read beside the poll, which is answered only after this.
		transport.cancel("t1", "cancelled")
		return `{"jobs": [` + job("t1") + `]}`, nil
	}
	w := workerOver(t, transport, func(ctx context.Context, in int) (int, error) {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
		}
		causes <- context.Cause(ctx)
		return 0, context.Cause(ctx)
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	var cancelled *Cancelled
	if cause := <-causes; !errors.As(cause, &cancelled) || cancelled.Reason != ReasonCancelled {
		t.Error(cause)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAWorkerThatAnOperatorDrainsFinishesAndEnds(t *testing.T) {
	goOn := make(chan struct{})
	transport := &pushed{reports: make(chan string, 10)}
	transport.poll = func(_ context.Context, number int) (string, error) {
		switch number {
		case 1:
			return `{"jobs": [` + job("t1") + `]}`, nil
		case 2:
			return `{"jobs": [], "drain": true}`, nil
		}
		t.Error("it polls on")
		return `{"jobs": [], "drain": true}`, nil
	}
	w := workerOver(t, transport, func(_ context.Context, in int) (int, error) {
		<-goOn
		return in, nil
	})
	done := make(chan error, 1)
	go func() { done <- w.Run(context.Background()) }()
	select {
	case <-w.drained:
	case <-time.After(20 * time.Second):
		t.Fatal("it was not asked to end")
	}
	close(goOn)
	if name := <-transport.reports; name != "completeJobs" {
		t.Error(name)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
