// Command harness is an adapter for the public harness postgresql-job-queue-benchmarking: it starts a node of Trunkline
// on the harness's database, enqueues through the SDK for Go at the rate that the harness asks for, works with as many
// handlers as it asks for, and writes the samples that it reads. A replica is a node with its workers.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	trunkline "trunkline.dev/go"

	"trunkline/load-tests/peers/go/node"
)

const (
	system  = "trunkline"
	jobType = "long_horizon_bench"
	// retryPause is how long an enqueue waits that failed, as the database is away in some phases.
	retryPause = 200 * time.Millisecond
	// depthEvery is how often the depth of the queue is read.
	depthEvery = 200 * time.Millisecond
	// fullPause is how long a producer waits that found the queue as deep as it is to be.
	fullPause = 10 * time.Millisecond
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(1)
	}
}

// payload is that of every job. The instant is this machine's, as workers and producers share it.
type payload struct {
	Number   int64  `json:"number"`
	Enqueued int64  `json:"enqueuedAtMicros"`
	Padding  string `json:"padding"`
}

// bench is one replica.
type bench struct {
	settings settings
	client   *trunkline.Client
	padding  string

	number, enqueued, completed atomic.Int64
	// depth is what the store says, and what this replica enqueued and started since.
	depth                         atomic.Int64
	calls, enqueues, starts, ends *window
	output                        sync.Mutex
}

func run() error {
	settings, err := readSettings()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	server, err := node.Start(ctx, settings.databaseURL)
	if err != nil {
		return err
	}
	defer server.Stop()
	client, err := trunkline.NewClient(trunkline.URL(server.URL), trunkline.APIKey(node.AdminKey))
	if err != nil {
		return err
	}
	defer client.Close()
	replica := &bench{
		settings: settings, client: client,
		padding: strings.Repeat("x", max(0, settings.payloadBytes-96)),
		calls:   newWindow(), enqueues: newWindow(), starts: newWindow(), ends: newWindow(),
	}
	if err := replica.describe(); err != nil {
		return err
	}
	var tasks sync.WaitGroup
	tasks.Go(func() { replica.produce(ctx) })
	tasks.Go(func() { replica.sample(ctx) })
	if replica.observes() || settings.isByDepth {
		tasks.Go(func() { replica.watchDepth(ctx) })
	}
	err = replica.work(ctx)
	stop()
	tasks.Wait()
	return err
}

// manifest is what the harness reads before it starts this program; the descriptor repeats its tables.
//
//go:embed adapter.json
var manifest []byte

// describe writes the line that the harness compares with adapter.json.
func (b *bench) describe() error {
	declared := struct {
		Tables     []string `json:"event_tables"`
		Extensions []string `json:"extensions"`
	}{}
	if err := json.Unmarshal(manifest, &declared); err != nil {
		return fmt.Errorf("read adapter.json: %w", err)
	}
	version := "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		version = build.Main.Version
	}
	b.emit(map[string]any{
		"kind": "descriptor", "system": system, "event_tables": declared.Tables,
		"extensions": declared.Extensions, "version": version, "schema_version": "by the server",
		"db_name": b.settings.databaseURL[strings.LastIndex(b.settings.databaseURL, "/")+1:], "started_at": instant(time.Now()),
	})
	return nil
}

// work runs the handlers until the context ends.
func (b *bench) work(ctx context.Context) error {
	name := fmt.Sprintf("harness-%d-%s", b.settings.instance, rand.Text()[:8])
	worker := trunkline.NewWorker(b.client,
		trunkline.Concurrency(b.settings.workers), trunkline.WorkerID(name), trunkline.DrainTimeout(2*time.Second))
	trunkline.Handle(worker, jobType, func(_ context.Context, in payload) (struct{}, error) {
		enqueued := time.UnixMicro(in.Enqueued)
		b.starts.add(time.Since(enqueued), 1)
		b.depth.Add(-1)
		if b.settings.work > 0 {
			time.Sleep(b.settings.work)
		}
		b.ends.add(time.Since(enqueued), 1)
		b.completed.Add(1)
		return struct{}{}, nil
	})
	return worker.Run(ctx)
}

// produce enqueues what the harness asks for: by lines on standard input, or at a rate or up to a depth of its own.
func (b *bench) produce(ctx context.Context) {
	switch {
	case b.settings.isByDepth:
		b.produceToDepth(ctx)
	case b.settings.isPaced:
		b.produceByLines(ctx)
	default:
		b.produceAtRate(ctx)
	}
}

func (b *bench) produceByLines(ctx context.Context) {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for input := bufio.NewScanner(os.Stdin); input.Scan(); {
			select {
			case lines <- input.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case line, open := <-lines:
			if !open {
				return
			}
			if count, err := strconv.Atoi(strings.TrimPrefix(line, "ENQUEUE ")); err == nil {
				b.enqueue(ctx, count)
			}
		}
	}
}

func (b *bench) produceAtRate(ctx context.Context) {
	ticks := time.NewTicker(b.settings.batchEvery)
	defer ticks.Stop()
	credit, last := 0.0, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		// By the time that passed, not by ticks: a slow enqueue must not lower the rate.
		now := time.Now()
		credit += b.settings.targetRate() * now.Sub(last).Seconds()
		last = now
		count := int(credit)
		credit -= float64(count)
		b.enqueue(ctx, count)
	}
}

// produceToDepth enqueues as fast as it can while the queue is not as deep as it is to be.
func (b *bench) produceToDepth(ctx context.Context) {
	for ctx.Err() == nil {
		missing := b.settings.targetDepth - int(b.depth.Load())
		if missing > 0 {
			b.enqueue(ctx, min(missing, b.settings.batchMax))
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(fullPause):
		}
	}
}

// enqueue puts jobs on the queue by one call, again after a fault: the harness counts on it.
func (b *bench) enqueue(ctx context.Context, count int) {
	for count > 0 && ctx.Err() == nil {
		batch := min(count, b.settings.batchMax)
		items := make([]trunkline.BatchItem, batch)
		began := time.Now()
		for place := range items {
			data := payload{b.number.Add(1), began.UnixMicro(), b.padding}
			items[place] = trunkline.BatchItem{Type: jobType, Data: data}
		}
		if _, err := b.client.EnqueueBatch(ctx, items); err != nil {
			if !errors.Is(err, context.Canceled) {
				fmt.Fprintln(os.Stderr, "harness: enqueue:", err)
			}
			time.Sleep(retryPause)
			continue
		}
		took := time.Since(began)
		b.calls.add(took, 1)
		b.enqueues.add(took/time.Duration(batch), batch)
		b.enqueued.Add(int64(batch))
		b.depth.Add(int64(batch))
		count -= batch
	}
}

// observes says whether this replica reports what concerns all of them.
func (b *bench) observes() bool { return b.settings.instance == 0 }

// watchDepth reads the depth from the store, again and again: other replicas change it, too.
func (b *bench) watchDepth(ctx context.Context) {
	for ticks := time.NewTicker(depthEvery); ctx.Err() == nil; {
		if queue, err := b.client.API.GetQueue(ctx, "workflow-node"); err == nil {
			b.depth.Store(queue.Queued)
		}
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
}
