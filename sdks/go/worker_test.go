package trunkline

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
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

// stalled answers completions only once a job is given back.
type stalled struct {
	*pushed
	reported, released chan struct{}
}

func (s *stalled) Call(ctx context.Context, request api.Request, out any, options ...api.Option) error {
	switch request.Name {
	case "completeJobs":
		close(s.reported)
		<-s.released
	case "releaseJobs":
		text, err := json.Marshal(request.Body)
		if err != nil {
			return err
		}
		s.reports <- string(text)
		close(s.released)
	}
	return s.pushed.Call(ctx, request, out, options...)
}

func TestAJobWhoseResultIsOnItsWayIsNotGivenBack(t *testing.T) {
	inner := &pushed{reports: make(chan string, 10)}
	inner.poll = func(ctx context.Context, number int) (string, error) {
		if number > 1 {
			return untilEnd(ctx)
		}
		return `{"jobs": [` + job("ended") + `, ` + strings.Replace(job("stubborn"), `"data": 1`, `"data": 2`, 1) + `]}`, nil
	}
	transport := &stalled{inner, make(chan struct{}), make(chan struct{})}
	client, err := NewClient(WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorker(client, HealthAddress(""), DrainTimeout(0))
	never := make(chan struct{})
	defer close(never)
	Handle(w, "greet", func(_ context.Context, in int) (int, error) {
		if in == 2 {
			<-never
		}
		return in, nil
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	<-transport.reported
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	close(inner.reports)
	var reports []string
	for report := range inner.reports {
		reports = append(reports, report)
	}
	slices.Sort(reports)
	if given := `{"jobs":[{"id":"job_1","leaseToken":"stubborn"}]}`; !slices.Equal(reports, []string{"completeJobs", "releaseJobs", given}) {
		t.Error(reports)
	}
}

func TestAHeartbeatThatFailsIsSentAgainASecondLater(t *testing.T) {
	beats := newHeartbeats(channel{}, func(error) {})
	var leased leasedJob
	if err := json.Unmarshal([]byte(job("t1")), &leased); err != nil {
		t.Fatal(err)
	}
	beats.add(leased, 30*time.Second, func(outcome string) { t.Error(outcome) })
	sent, limit := beats.collect(beats.leases["t1"].ends.Add(-2 * time.Second))
	if len(sent) != 1 || limit > 2*time.Second {
		t.Fatal(sent, limit, "a call takes no longer than the lease holds")
	}
	beats.apply(sent, nil, time.Now())
	if next := beats.next(); next.After(time.Now().Add(time.Second)) {
		t.Fatal(next)
	}
}

func TestProgressThatTheServerRefusesDoesNotKeepALeaseFromBeingRenewed(t *testing.T) {
	beats := newHeartbeats(channel{}, func(error) {})
	lost := func(outcome string) { t.Error(outcome) }
	var leased leasedJob
	if err := json.Unmarshal([]byte(job("t1")), &leased); err != nil {
		t.Fatal(err)
	}
	beats.add(leased, 30*time.Second, lost)
	ends := beats.leases["t1"].ends
	beats.setProgress("t1", json.RawMessage(`"large"`))
	now := time.Now().Add(time.Second)
	sent, _ := beats.collect(now)
	if len(sent) != 1 || string(sent[0].Progress) != `"large"` {
		t.Fatal(sent)
	}
	// What the handler says next is as large.
	beats.setProgress("t1", json.RawMessage(`"larger"`))
	refused := beats.apply(sent, []outcome{{ID: "job_1", Outcome: "rejected", Reason: "at most 64 KiB"}}, now)
	if len(refused) != 1 || beats.leases["t1"].ends != ends {
		t.Fatal(refused, "nothing was renewed")
	}
	sent, _ = beats.collect(now)
	if len(sent) != 1 || sent[0].Progress != nil {
		t.Fatal(sent, "the next one goes at once, and without progress")
	}
	refused = beats.apply(sent, []outcome{{ID: "job_1", Outcome: "ok"}}, now)
	if len(refused) != 0 || beats.leases["t1"].ends != now.Add(30*time.Second) {
		t.Fatal(refused, "it was renewed")
	}
	if sent, _ = beats.collect(now.Add(time.Second)); len(sent) != 1 || string(sent[0].Progress) != `"larger"` {
		t.Fatal(sent, "what was said meanwhile goes out")
	}
}
