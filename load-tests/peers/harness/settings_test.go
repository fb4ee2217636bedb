package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// set empties what the tests read, then sets what is given.
func set(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, name := range []string{
		"SCENARIO", "PRODUCER_MODE", "PRODUCER_PACING", "PRODUCER_RATE", "PRODUCER_RATE_CONTROL_FILE", "TARGET_DEPTH",
		"PRODUCER_BATCH_MAX", "PRODUCER_BATCH_MS", "WORKER_COUNT", "JOB_PAYLOAD_BYTES", "JOB_WORK_MS", "SAMPLE_EVERY_S",
		"BENCH_INSTANCE_ID", "BENCH_QUEUE_COUNT", "JOB_FAIL_FIRST_MOD", "JOB_PRIORITY_PATTERN", "WORKER_FAIL_MODE",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("DATABASE_URL", "postgres://bench@127.0.0.1/bench")
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

func TestSettingsAreThoseOfTheHarness(t *testing.T) {
	set(t, map[string]string{
		"PRODUCER_PACING": "harness", "PRODUCER_MODE": "depth-target", "TARGET_DEPTH": "4000", "WORKER_COUNT": "128",
		"JOB_WORK_MS": "2", "BENCH_INSTANCE_ID": "1", "WORKER_FAIL_MODE": "success",
	})
	read, err := readSettings()
	if err != nil {
		t.Fatal(err)
	}
	if !read.isPaced || !read.isByDepth || read.targetDepth != 4000 || read.workers != 128 || read.instance != 1 {
		t.Errorf("read %+v", read)
	}
	if read.work != 2*time.Millisecond || read.batchMax != 128 || read.sampleEvery != 5*time.Second {
		t.Errorf("read %+v", read)
	}
}

func TestWhatIsNotMeasuredIsRefused(t *testing.T) {
	for name, value := range map[string]string{
		"SCENARIO": "worker_throughput", "DATABASE_URL": "", "WORKER_COUNT": "many", "TARGET_DEPTH": "-1",
		"BENCH_QUEUE_COUNT": "4", "JOB_FAIL_FIRST_MOD": "2", "JOB_PRIORITY_PATTERN": "1,2,3,4",
		"WORKER_FAIL_MODE": "terminal-always",
	} {
		set(t, map[string]string{name: value})
		if _, err := readSettings(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%q: %v", name, value, err)
		}
	}
}

func TestTheRateFollowsTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rate")
	set(t, map[string]string{"PRODUCER_RATE": "800", "PRODUCER_RATE_CONTROL_FILE": file})
	read, err := readSettings()
	if err != nil {
		t.Fatal(err)
	}
	if rate := read.targetRate(); rate != 800 {
		t.Errorf("without a file %v", rate)
	}
	if err := os.WriteFile(file, []byte("1200.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if rate := read.targetRate(); rate != 1200 {
		t.Errorf("with a file %v", rate)
	}
}
