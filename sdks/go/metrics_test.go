package trunkline

import (
	"errors"
	"testing"
	"time"
)

func TestMetricsAreThoseOfAllLanguages(t *testing.T) {
	var counted metrics
	for range 2 {
		counted.count(Event{Kind: Started, JobType: "greet"})
	}
	counted.count(Event{Kind: Finished, JobType: "greet", Outcome: "complete", Duration: 1500 * time.Millisecond})
	counted.count(Event{Kind: Finished, JobType: "greet", Outcome: "none"})
	counted.count(Event{Kind: Polled, Jobs: 2})
	counted.count(Event{Kind: PollFailed, Err: errors.New("no")})
	counted.count(Event{Kind: HeartbeatFailed, Err: errors.New("no")})
	want := `trunkline_worker_handler_seconds_total{job_type="greet"} 1.5
trunkline_worker_heartbeat_failures_total 1
trunkline_worker_jobs_ended_total{how="complete",job_type="greet"} 1
trunkline_worker_jobs_ended_total{how="lost",job_type="greet"} 1
trunkline_worker_jobs_started_total{job_type="greet"} 2
trunkline_worker_poll_failures_total 1
`
	if got := counted.render(); got != want {
		t.Errorf("got:\n%s", got)
	}
	if got := label("a\"b\\\n"); got != `"a\"b\\\n"` {
		t.Error(got)
	}
}
