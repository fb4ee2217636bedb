// Package measure is the course of every measurement of a peer that is written in Go: enqueue and drain, latency, or
// workflows of a few steps; one line of JSON for each.
package measure

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

// Mode says which settings a peer runs with.
type Mode string

const (
	// Fast is what its documentation recommends for speed.
	Fast Mode = "fast"
	// Defaults is what it does when nothing is said.
	Defaults Mode = "defaults"
)

// Arguments are what the driver tells a peer on the command line.
type Arguments struct {
	Scenario string
	Mode     Mode
	Jobs     int
	// Latency is for how long jobs are enqueued one by one.
	Latency time.Duration
	// Drain is after how long a drain is cut off.
	Drain time.Duration
}

// ReadArguments reads the options that all peers share.
func ReadArguments() (Arguments, error) {
	scenario := flag.String("scenario", "bulk", "bulk, latency or steps")
	mode := flag.String("mode", "fast", "fast or defaults")
	jobs := flag.Int("jobs", 1000, "how many jobs to enqueue, or workflows to run")
	latency := flag.Int("latency-seconds", 3, "how long jobs are enqueued one by one")
	drain := flag.Int("drain-seconds", 20, "after how many seconds a drain is cut off")
	flag.Parse()
	if !slices.Contains([]string{"bulk", "latency", "steps"}, *scenario) {
		return Arguments{}, fmt.Errorf("--scenario is bulk, latency or steps, not %q", *scenario)
	}
	if *jobs < 1 {
		return Arguments{}, fmt.Errorf("--jobs is at least 1, not %d", *jobs)
	}
	if Mode(*mode) != Fast && Mode(*mode) != Defaults {
		return Arguments{}, fmt.Errorf("--mode is fast or defaults, not %q", *mode)
	}
	return Arguments{
		Scenario: *scenario,
		Mode:     Mode(*mode),
		Jobs:     *jobs,
		Latency:  time.Duration(*latency) * time.Second,
		Drain:    time.Duration(*drain) * time.Second,
	}, nil
}

// DatabaseURL is the address of the peer's own, empty database.
func DatabaseURL() (string, error) {
	url := os.Getenv("PEER_DATABASE_URL")
	if url == "" {
		return "", fmt.Errorf("PEER_DATABASE_URL is not set")
	}
	return url, nil
}
