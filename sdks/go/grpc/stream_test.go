package grpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	rpc "google.golang.org/grpc"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
)

// fake is a server on whose streams a test speaks itself.
type fake struct {
	trunklinev1.UnimplementedWorkerServiceServer
	streams chan *open
	unary   chan string
}

type open struct {
	rpc.BidiStreamingServer[trunklinev1.FromWorker, trunklinev1.ToWorker]
	sent chan *trunklinev1.FromWorker
	end  chan error
}

func (f *fake) Connect(stream rpc.BidiStreamingServer[trunklinev1.FromWorker, trunklinev1.ToWorker]) error {
	own := &open{stream, make(chan *trunklinev1.FromWorker, 100), make(chan error, 1)}
	go func() {
		for {
			message, err := stream.Recv()
			if err != nil {
				close(own.sent)
				return
			}
			own.sent <- message
		}
	}()
	f.streams <- own
	select {
	case err := <-own.end:
		return err
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
}

func (f *fake) Complete(_ context.Context, request *trunklinev1.CompleteJobsRequest) (*trunklinev1.Outcomes, error) {
	f.unary <- request.GetJobs()[0].GetId()
	return &trunklinev1.Outcomes{Results: []*trunklinev1.Outcome{{Id: request.GetJobs()[0].GetId(), Outcome: "ok"}}}, nil
}

func serve(t *testing.T, options ...Option) (*fake, *Transport) {
	t.Helper()
	f := &fake{streams: make(chan *open, 10), unary: make(chan string, 10)}
	return f, transportTo(t, func(server *rpc.Server) { trunklinev1.RegisterWorkerServiceServer(server, f) }, options...)
}

// transportTo gives a transport to a server with these services.
func transportTo(t *testing.T, register func(*rpc.Server), options ...Option) *Transport {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := rpc.NewServer()
	register(server)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	transport, err := New(api.Settings{APIKey: "tl_test"}, append(options, URL("http://"+listener.Addr().String()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = transport.Close() })
	return transport
}

func within[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came in time")
		panic("unreachable")
	}
}

func (o *open) say(t *testing.T, message *trunklinev1.ToWorker) {
	t.Helper()
	if err := o.Send(message); err != nil {
		t.Fatal(err)
	}
}

func alive() *trunklinev1.ToWorker {
	return &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Alive{Alive: &trunklinev1.Alive{StreamId: "str_1"}}}
}

func offer(ids ...string) *trunklinev1.ToWorker {
	jobs := make([]*trunklinev1.PolledJob, len(ids))
	for i, id := range ids {
		expires := time.Now().Add(time.Minute).Format(time.RFC3339)
		jobs[i] = &trunklinev1.PolledJob{Id: id, JobType: "greet", LeaseToken: "t-" + id, Data: []byte("1"), Attempt: 1, LeaseExpiresAt: expires}
	}
	return &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Offer{Offer: &trunklinev1.Offer{Jobs: jobs}}}
}

type polled struct {
	Jobs []struct{ ID string }
	err  error
}

func poll(transport *Transport, jobs int, wait string) <-chan polled {
	out := make(chan polled, 1)
	go func() {
		var answer polled
		body := map[string]any{"workerId": "w", "jobTypes": []string{"greet"}, "maxJobs": jobs, "wait": wait}
		request := api.Request{Name: "pollJobs", Method: "POST", Path: "/v1/jobs/poll", Body: body}
		answer.err = transport.Call(context.Background(), request, &answer, api.Timeout(30*time.Second), api.NoRetry())
		out <- answer
	}()
	return out
}

func complete(transport *Transport, id string) <-chan error {
	out := make(chan error, 1)
	go func() {
		body := map[string]any{"jobs": []map[string]any{{"id": id, "leaseToken": "t-" + id, "result": json.RawMessage("7")}}}
		var answer api.Outcomes
		request := api.Request{Name: "completeJobs", Method: "POST", Path: "/v1/jobs/complete", Body: body}
		err := transport.Call(context.Background(), request, &answer)
		if err == nil && (len(answer.Results) != 1 || answer.Results[0].Outcome != "ok") {
			err = fmt.Errorf("%+v", answer)
		}
		out <- err
	}()
	return out
}

func TestAStreamHasCreditsReceiptsAndReports(t *testing.T) {
	f, transport := serve(t)
	answer := poll(transport, 3, "20s")
	stream := within(t, f.streams)
	if hello := within(t, stream.sent).GetHello(); hello.GetWorkerId() != "w" || hello.GetJobTypes()[0] != "greet" {
		t.Fatal(hello)
	}
	stream.say(t, alive())
	if credits := within(t, stream.sent).GetCredits(); credits.GetCount() != 3 {
		t.Fatal(credits)
	}
	stream.say(t, offer("job_1"))
	if got := within(t, answer); got.err != nil || got.Jobs[0].ID != "job_1" {
		t.Fatal(got)
	}
	if received := within(t, stream.sent).GetReceived(); received.GetIds()[0] != "job_1" {
		t.Fatal(received)
	}
	// Two credits are left: the next poll for two gives none.
	answer = poll(transport, 2, "20s")
	done := complete(transport, "job_1")
	report := within(t, stream.sent)
	if report.GetNumber() == 0 || string(report.GetComplete().GetJobs()[0].GetResult()) != "7" {
		t.Fatal(report)
	}
	outcome := &trunklinev1.ReportOutcome{Number: report.GetNumber(), Results: []*trunklinev1.Outcome{{Id: "job_1", Outcome: "ok"}}}
	stream.say(t, &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Outcome{Outcome: outcome}})
	if err := within(t, done); err != nil {
		t.Fatal(err)
	}
	stream.say(t, offer("job_2"))
	if got := within(t, answer); got.err != nil || got.Jobs[0].ID != "job_2" {
		t.Fatal(got)
	}
}

func TestADrainedStreamIsFollowedByAnother(t *testing.T) {
	f, transport := serve(t)
	answer := poll(transport, 1, "20s")
	first := within(t, f.streams)
	first.say(t, alive())
	first.say(t, &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Drain{Drain: &trunklinev1.Drain{Reason: "age"}}})
	second := within(t, f.streams)
	second.say(t, alive())
	second.say(t, offer("job_1"))
	if got := within(t, answer); got.err != nil || got.Jobs[0].ID != "job_1" {
		t.Fatal(got)
	}
	for range first.sent { // It is half-closed: the range ends.
	}
}

func TestASilentStreamIsDeadAndReportsGoInCallsOfTheirOwn(t *testing.T) {
	f, transport := serve(t, Silence(2*time.Second))
	answer := poll(transport, 1, "20s")
	stream := within(t, f.streams)
	stream.say(t, offer("job_1"))
	if got := within(t, answer); got.err != nil {
		t.Fatal(got.err)
	}
	var connection *api.ConnectionError
	if got := within(t, poll(transport, 1, "20s")); !errors.As(got.err, &connection) {
		t.Fatal(got.err)
	}
	if err := within(t, complete(transport, "job_1")); err != nil {
		t.Fatal(err)
	}
	if id := within(t, f.unary); id != "job_1" {
		t.Error(id)
	}
}

func TestAnOfferThatWentBackGivesItsCreditBack(t *testing.T) {
	f, transport := serve(t)
	answer := poll(transport, 1, "0ms")
	stream := within(t, f.streams)
	within(t, stream.sent)
	stream.say(t, alive())
	if got := within(t, answer); got.err != nil || len(got.Jobs) != 0 {
		t.Fatal(got)
	}
	if credits := within(t, stream.sent).GetCredits(); credits.GetCount() != 1 {
		t.Fatal(credits)
	}
	stream.say(t, offer("job_1"))
	withdrawn := &trunklinev1.Cancel{Jobs: []*trunklinev1.CancelledJob{{Id: "job_1", Reason: "not_received"}}}
	stream.say(t, &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Cancel{Cancel: withdrawn}})
	stream.say(t, offer("job_2"))
	// Whatever of it had come when the poll began: only job_2 is taken, and no more credits are granted.
	got := within(t, poll(transport, 1, "20s"))
	if got.err != nil || len(got.Jobs) != 1 {
		t.Fatal(got)
	}
	for message := range stream.sent {
		if message.GetCredits() != nil {
			t.Error(message)
		}
		if message.GetReceived() != nil {
			return
		}
	}
}

func TestTheServerCancelsAHandlerOverTheStream(t *testing.T) {
	f, transport := serve(t)
	client, err := trunkline.NewClient(trunkline.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	causes := make(chan error, 1)
	w := trunkline.NewWorker(client, trunkline.WorkerID("w"), trunkline.HealthAddress(""))
	trunkline.Handle(w, "greet", func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return 0, context.Cause(ctx)
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	stream := within(t, f.streams)
	stream.say(t, alive())
	stream.say(t, offer("job_1"))
	for message := range stream.sent {
		if message.GetReceived() != nil {
			break
		}
	}
	cancel := &trunklinev1.Cancel{Jobs: []*trunklinev1.CancelledJob{{Id: "job_1", Reason: "cancelled"}}}
	stream.say(t, &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Cancel{Cancel: cancel}})
	var cancelled *trunkline.Cancelled
	if cause := within(t, causes); !errors.As(cause, &cancelled) || cancelled.Reason != trunkline.ReasonCancelled {
		t.Error(cause)
	}
	stop()
	if err := within(t, done); err != nil {
		t.Error(err)
	}
}

func TestAWorkerThatAnOperatorDrainsOpensNoOtherStream(t *testing.T) {
	f, transport := serve(t)
	client, err := trunkline.NewClient(trunkline.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	w := trunkline.NewWorker(client, trunkline.WorkerID("w"), trunkline.HealthAddress(""))
	trunkline.Handle(w, "greet", func(context.Context, int) (int, error) { return 0, nil })
	done := make(chan error, 1)
	go func() { done <- w.Run(context.Background()) }()
	stream := within(t, f.streams)
	stream.say(t, alive())
	stream.say(t, &trunklinev1.ToWorker{Message: &trunklinev1.ToWorker_Drain{Drain: &trunklinev1.Drain{Reason: "worker"}}})
	if err := within(t, done); err != nil {
		t.Error(err)
	}
	select {
	case <-f.streams:
		t.Error("it opened another stream")
	default:
	}
}

func TestJobsWhoseEndIsReportedBesideTheStreamAreNotKept(t *testing.T) {
	f, transport := serve(t)
	d := transport.delivery("w")
	d.keep(offer("job_1", "job_2", "job_3").GetOffer().GetJobs())
	// The first of a report is not the worker's any more.
	d.cancelled("job_1", "cancelled")
	body := map[string]any{"jobs": []map[string]any{{"id": "job_1", "leaseToken": "t-job_1"}, {"id": "job_2", "leaseToken": "t-job_2"}}}
	request := api.Request{Name: "completeJobs", Method: "POST", Path: "/v1/jobs/complete", Body: body}
	if err := transport.Call(context.Background(), request, nil); err != nil {
		t.Fatal(err)
	}
	if id := within(t, f.unary); id != "job_1" {
		t.Error(id)
	}
	if len(d.tokens) != 1 || d.tokens["job_3"] == "" {
		t.Error(d.tokens)
	}
}
