// A worker for groups of several languages: it serves one job type from Kafka and says on standard output what it ran.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	trunkline "trunkline.dev/go"
	_ "trunkline.dev/go/kafka"
)

type data struct{ Ms int }

func main() {
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(jobType string) error {
	client, err := trunkline.NewClient()
	if err != nil {
		return err
	}
	w := trunkline.NewWorker(client, trunkline.Concurrency(4))
	trunkline.Handle(w, jobType, func(ctx context.Context, in data) (string, error) {
		time.Sleep(time.Duration(in.Ms) * time.Millisecond)
		job := trunkline.JobFrom(ctx)
		fmt.Println("ran", job.ID, job.Attempt)
		return "go", nil
	})
	return w.Run(context.Background())
}
