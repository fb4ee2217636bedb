package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// settings are what the harness says in the environment. Rates are those of this replica.
type settings struct {
	databaseURL string
	// isPaced says that the harness writes how much to enqueue to standard input.
	isPaced     bool
	isByDepth   bool
	targetDepth int
	rate        float64
	// rateFile may hold another rate while the run goes on.
	rateFile     string
	batchMax     int
	batchEvery   time.Duration
	workers      int
	payloadBytes int
	work         time.Duration
	sampleEvery  time.Duration
	instance     int
}

// unsupported are settings of cells that this adapter does not run, with the value that asks for nothing: several
// queues, jobs of several priorities, and jobs that fail. To go on as if nothing was asked would be another measurement.
var unsupported = map[string]string{
	"BENCH_QUEUE_COUNT":    "1",
	"JOB_FAIL_FIRST_MOD":   "0",
	"JOB_PRIORITY_PATTERN": "2",
	"WORKER_FAIL_MODE":     "success",
}

func readSettings() (settings, error) {
	var faults []string
	number := func(name string, otherwise int) int {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value < 0 {
			faults = append(faults, name+" must be a number")
		}
		return int(value)
	}
	if scenario := os.Getenv("SCENARIO"); scenario != "" && scenario != "long_horizon" {
		faults = append(faults, "SCENARIO must be long_horizon")
	}
	if os.Getenv("DATABASE_URL") == "" {
		faults = append(faults, "DATABASE_URL must be set")
	}
	for name, neutral := range unsupported {
		if value := os.Getenv(name); value != "" && value != neutral {
			faults = append(faults, fmt.Sprintf("%s=%s is not supported, only %s", name, value, neutral))
		}
	}
	read := settings{
		databaseURL:  os.Getenv("DATABASE_URL"),
		isByDepth:    os.Getenv("PRODUCER_MODE") == "depth-target",
		isPaced:      os.Getenv("PRODUCER_PACING") == "harness",
		targetDepth:  number("TARGET_DEPTH", 1000),
		rate:         float64(number("PRODUCER_RATE", 800)),
		rateFile:     os.Getenv("PRODUCER_RATE_CONTROL_FILE"),
		batchMax:     max(1, number("PRODUCER_BATCH_MAX", 128)),
		batchEvery:   time.Duration(max(1, number("PRODUCER_BATCH_MS", 25))) * time.Millisecond,
		workers:      max(1, number("WORKER_COUNT", 32)),
		payloadBytes: number("JOB_PAYLOAD_BYTES", 256),
		work:         time.Duration(number("JOB_WORK_MS", 1)) * time.Millisecond,
		sampleEvery:  time.Duration(max(1, number("SAMPLE_EVERY_S", 5))) * time.Second,
		instance:     number("BENCH_INSTANCE_ID", 0),
	}
	if len(faults) > 0 {
		return settings{}, fmt.Errorf("%s", strings.Join(faults, "; "))
	}
	return read, nil
}

// targetRate is the rate at present.
func (s settings) targetRate() float64 {
	if s.rateFile == "" {
		return s.rate
	}
	text, err := os.ReadFile(s.rateFile)
	if err != nil {
		return s.rate
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return s.rate
	}
	return rate
}
