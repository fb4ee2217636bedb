// Command river measures River on PostgreSQL. Fast: 2,000 workers and a fetch every two milliseconds, which was the
// fastest of those that were tried. Defaults: the hundred workers of its documentation's first example.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"trunkline/load-tests/peers/go/measure"
)

func main() {
	measure.Main(measure.Peer{Name: "river", Module: "github.com/riverqueue/river", Open: open})
}

// noop is the one kind of job.
type noop struct {
	measure.Payload
}

func (noop) Kind() string { return "noop" }

type worker struct {
	river.WorkerDefaults[noop]
	handled *func(int)
}

func (w worker) Work(_ context.Context, job *river.Job[noop]) error {
	(*w.handled)(job.Args.Number)
	return nil
}

type queue struct {
	pool    *pgxpool.Pool
	client  *river.Client[pgx.Tx]
	handled func(int)
}

func open(ctx context.Context, url string, mode measure.Mode) (measure.Queue, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	opened := &queue{pool: pool, handled: func(int) {}}
	workers := river.NewWorkers()
	river.AddWorker(workers, worker{handled: &opened.handled})
	config := &river.Config{
		Logger:  slog.New(slog.NewTextHandler(io.Discard, nil)),
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 100}},
		Workers: workers,
	}
	if mode == measure.Fast {
		config.FetchCooldown = 2 * time.Millisecond
		config.Queues[river.QueueDefault] = river.QueueConfig{MaxWorkers: 2000}
	}
	opened.client, err = river.NewClient(riverpgxv5.New(pool), config)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("configure: %w", err)
	}
	return opened, nil
}

func (q *queue) SetUp(ctx context.Context) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(q.pool), nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func (q *queue) Enqueue(ctx context.Context, first, end int) error {
	jobs := make([]river.InsertManyParams, 0, end-first)
	for number := first; number < end; number++ {
		jobs = append(jobs, river.InsertManyParams{Args: noop{measure.NewPayload(number)}})
	}
	_, err := q.client.InsertManyFast(ctx, jobs)
	return err
}

func (q *queue) EnqueueOne(ctx context.Context, number int) error {
	_, err := q.client.Insert(ctx, noop{measure.NewPayload(number)}, nil)
	return err
}

func (q *queue) Start(ctx context.Context, handled func(number int)) error {
	q.handled = handled
	return q.client.Start(ctx)
}

func (q *queue) Unfinished(ctx context.Context) (count int, err error) {
	err = q.pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE finalized_at IS NULL").Scan(&count)
	return count, err
}

func (q *queue) Stop(ctx context.Context) error { return q.client.Stop(ctx) }

// Close may be called twice.
func (q *queue) Close() { q.pool.Close() }
