package kafka

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
)

const normal = "trunkline.jobs.add.normal"

type numbered struct{ N int }

// serve runs a worker over a Kafka in memory until the test ends, or stop is called.
func serve(t *testing.T, server *acceptingServer, kafka *memoryKafka, handle func(numbered), options ...trunkline.WorkerOption) (stop func()) {
	t.Helper()
	transport := newTransport(server, transportSettings{prefix: "trunkline", group: "trunkline"}, kafka.consumer)
	client, err := trunkline.NewClient(trunkline.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	w := trunkline.NewWorker(client, options...)
	trunkline.Handle(w, "add", func(_ context.Context, in numbered) (int, error) { handle(in); return in.N, nil })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the worker ended: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for until := time.Now().Add(deadline); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: it did not come true", what)
		}
	}
}

// table has topics and messages as the server has them: its tests read the same file.
func table(t *testing.T) (table struct {
	Topics []struct {
		Prefix, Layout, JobType string
		Topics                  []string
	}
	Offers []struct {
		About, JSON, Protobuf string
		Job                   map[string]any
	}
}) {
	t.Helper()
	text, err := os.ReadFile("../../conformance/kafka.json")
	if err == nil {
		err = json.Unmarshal(text, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTopicsAreThoseOfTheServer(t *testing.T) {
	for _, row := range table(t).Topics {
		if got := topicsOf(row.Prefix, row.JobType, row.Layout == "single"); !slices.Equal(got, row.Topics) {
			t.Errorf("%s: %s", row.JobType, got)
		}
	}
}

func TestOnlyWhatIsOverIsCommitted(t *testing.T) {
	all, of := newOffsets(), partition{"t", 0}
	expect := func(expected int64) {
		t.Helper()
		if got := all.toCommit()[of]; got != expected {
			t.Fatalf("%d, not %d", got, expected)
		}
	}
	for offset := int64(5); offset < 9; offset++ {
		all.received(of, offset)
	}
	all.over(of, 6)
	expect(5)
	all.over(of, 5)
	expect(7)
	all.haveCommitted(map[partition]int64{of: 7})
	expect(0)
	all.over(of, 7)
	all.over(of, 8)
	expect(9)
	all.forget([]partition{of})
	all.over(of, 8)
	expect(0)
}

func TestMessagesOfTheRelayAreReadInBothForms(t *testing.T) {
	for _, offer := range table(t).Offers {
		binary, err := hex.DecodeString(offer.Protobuf)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range [][]byte{[]byte(offer.JSON), binary} {
			job, err := jobOf(message)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]any{}
			for name, value := range job {
				var read any
				if err := json.Unmarshal(value, &read); err != nil {
					t.Fatal(err)
				}
				got[name] = read
			}
			if !reflect.DeepEqual(got, offer.Job) {
				t.Errorf("%s: %v, not %v", offer.About, got, offer.Job)
			}
			for cut := range message {
				if job, err := jobOf(message[:cut]); err == nil && job["leaseToken"] != nil {
					t.Errorf("%s: what is cut off at %d is an offer", offer.About, cut)
				}
			}
		}
	}
}

func TestJobsAreAcceptedRunAndCommitted(t *testing.T) {
	server, kafka := newServer(t), newMemoryKafka()
	server.holders["job_3"] = "another"
	server.lost = 1
	for number := range 60 {
		kafka.offer(number, "normal")
	}
	kafka.publish(normal, []byte("\x08\x01"))
	kafka.publish(normal, []byte(`{"job": {"id": 1}}`))
	stop := serve(t, server, kafka, func(numbered) {})
	eventually(t, "all are committed", func() bool { return kafka.offset(normal) == 62 })
	stop()
	if server.doneCount() != 59 || server.accepts >= 60 {
		t.Errorf("%d done by %d calls", server.doneCount(), server.accepts)
	}
}

func TestAJobThatRunsKeepsItsMessageFromBeingCommitted(t *testing.T) {
	server, kafka, letGo := newServer(t), newMemoryKafka(), make(chan struct{})
	for number := range 5 {
		kafka.offer(number, "normal")
	}
	serve(t, server, kafka, func(in numbered) {
		if in.N == 1 {
			<-letGo
		}
	})
	eventually(t, "the others are done", func() bool { return server.doneCount() == 4 && kafka.offset(normal) == 1 })
	close(letGo)
	eventually(t, "all are committed", func() bool { return kafka.offset(normal) == 5 })
}

func TestARebalanceCostsNoAttemptAndRunsNothingTwice(t *testing.T) {
	server, kafka, letGo := newServer(t), newMemoryKafka(), make(chan struct{})
	for number := range 20 {
		kafka.offer(number, "normal")
	}
	hold := func(numbered) { <-letGo }
	serve(t, server, kafka, hold, trunkline.Concurrency(2), trunkline.WorkerID("first"))
	eventually(t, "the first has two", func() bool { return server.heldBy("first") == 2 })
	serve(t, server, kafka, hold, trunkline.Concurrency(2), trunkline.WorkerID("second"))
	// It is answered "taken" for what the first one has, and goes on with the rest.
	eventually(t, "the second has some", func() bool { return server.heldBy("second") > 0 })
	close(letGo)
	eventually(t, "all are done", func() bool { return server.doneCount() == 20 && kafka.offset(normal) == 20 })
	if server.heldBy("first") != 2 {
		t.Errorf("the first had %d", server.heldBy("first"))
	}
	for id, how := range server.done {
		if how != "completeJobs" {
			t.Errorf("%s: %s", id, how)
		}
	}
}

// As after a rebalance that gives a worker its partitions again, or where a relay publishes again.
func TestAMessageThatComesAgainDoesNotRunItsJobTwice(t *testing.T) {
	server, kafka := newServer(t), newMemoryKafka()
	goOn, begun := make(chan struct{}), make(chan int, 10)
	serve(t, server, kafka, func(in numbered) {
		begun <- in.N
		if in.N == 1 {
			<-goOn
		}
	})
	kafka.offer(1, "normal")
	if number := <-begun; number != 1 {
		t.Error(number)
	}
	kafka.offer(1, "normal")
	kafka.offer(2, "normal")
	if number := <-begun; number != 2 {
		t.Error("it runs twice")
	}
	eventually(t, "the second is done", func() bool { return server.doneCount() == 1 })
	if offset := kafka.offset(normal); offset != 0 {
		t.Error("a message of what runs is committed", offset)
	}
	close(goOn)
	eventually(t, "all are committed", func() bool { return kafka.offset(normal) == 3 })
	if len(begun) > 0 {
		t.Error("it runs twice", <-begun)
	}
}

// heldAcceptance holds answers to accept up, after the server has leased the jobs.
type heldAcceptance struct {
	*acceptingServer
	answered, goOn chan struct{}
}

func (h *heldAcceptance) Call(ctx context.Context, request api.Request, out any, options ...api.Option) error {
	err := h.acceptingServer.Call(ctx, request, out, options...)
	if request.Name != "acceptJobs" {
		return err
	}
	close(h.answered)
	select {
	case <-h.goOn:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Nobody else would give them back.
func TestJobsWhoseAcceptanceIsOnItsWayWhenAWorkerEndsAreRun(t *testing.T) {
	server, kafka := newServer(t), newMemoryKafka()
	held := &heldAcceptance{server, make(chan struct{}), make(chan struct{})}
	transport := newTransport(held, transportSettings{prefix: "trunkline", group: "trunkline"}, kafka.consumer)
	client, err := trunkline.NewClient(trunkline.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	w := trunkline.NewWorker(client)
	trunkline.Handle(w, "add", func(_ context.Context, in numbered) (int, error) { return in.N, nil })
	kafka.offer(1, "normal")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	<-held.answered
	stop()
	eventually(t, "it drains", func() bool { return w.Health() == "draining" })
	close(held.goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if how := server.done["job_1"]; how != "completeJobs" {
		t.Errorf("the job is left to its lease: %q", how)
	}
}

func TestHigherTiersAreReadFirst(t *testing.T) {
	server, kafka := newServer(t), newMemoryKafka()
	for number := range 30 {
		kafka.offer(number, []string{"low", "normal", "high"}[number/10])
	}
	var order []int
	stop := serve(t, server, kafka, func(in numbered) { order = append(order, in.N/10) }, trunkline.Concurrency(1))
	eventually(t, "all are done", func() bool { return server.doneCount() == 30 })
	stop()
	if !slices.IsSortedFunc(order, func(a, b int) int { return b - a }) {
		t.Error(order)
	}
}

func TestAKafkaThatIsAwayShowsInTheHealth(t *testing.T) {
	server, kafka := newServer(t), newMemoryKafka()
	kafka.setAway(errors.New("no broker answers"))
	transport := newTransport(server, transportSettings{prefix: "trunkline", group: "trunkline"}, kafka.consumer)
	defer transport.Close()
	poll := api.Request{Name: "pollJobs", Body: map[string]any{"workerId": "w", "jobTypes": []string{"add"}, "maxJobs": 1, "wait": "20s"}}
	var answer struct{ Jobs []any }
	var failed *api.ConnectionError
	if err := transport.Call(context.Background(), poll, &answer); !errors.As(err, &failed) || !strings.Contains(err.Error(), "no broker answers") {
		t.Fatal(err)
	}
	kafka.setAway(nil)
	kafka.offer(1, "high")
	eventually(t, "it gives jobs again", func() bool {
		return transport.Call(context.Background(), poll, &answer) == nil && len(answer.Jobs) == 1
	})
}

func TestSettingsAreChecked(t *testing.T) {
	t.Setenv("TRUNKLINE_KAFKA_BROKERS", "")
	if _, err := New(api.Settings{URL: "http://127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), "TRUNKLINE_KAFKA_BROKERS") {
		t.Error(err)
	}
}
